import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Target } from './request.ts'

/** Sends the browser back to the client, with the issuer against mix-up attacks, RFC 9207. */
export function redirect(
  app: FastifyInstance,
  { method }: FastifyRequest,
  reply: FastifyReply,
  { redirectUri, state }: Pick<Target, 'redirectUri' | 'state'>,
  response: { code: string } | { error: string; error_description: string }
): FastifyReply {
  const parameters = { ...response, ...(state !== undefined && { state }), iss: app.productTokens.issuer() }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  // The URI stays as it was registered, RFC 6749 §3.1.2.
  const url = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.join('&')}`
  // 303, so that the password is not sent on, RFC 9700 §4.12.
  return reply.redirect(url, method === 'POST' ? 303 : 302)
}

/** The source of a Content-Security-Policy for a redirect: browsers check where the response to a form leads. */
export function targetOfForms(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
