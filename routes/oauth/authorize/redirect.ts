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

/**
 * Sources of a Content-Security-Policy for a redirect. Chromium checks each hop that a form leads to, and clients send the
 * browser on: from a loopback redirect to a page that says "done", or to the origin of their pages. So `https:` is always
 * allowed. An IPv6 address cannot be a source, CSP 3 §2.3.1.
 */
export function targetsOfForms(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri)
  if (protocol === 'https:') return protocol
  return `https: ${protocol === 'http:' && !hostname.startsWith('[') ? origin : protocol}`
}
