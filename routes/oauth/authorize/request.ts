import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDescribed } from '../../../accounts/clients.ts'
import { isRegistered } from '../../../accounts/redirect-uris.ts'
import { scopesOfLogin } from '../../../domain/rights.ts'
import type { ServiceSettings } from '../../../options/index.ts'
import {
  invalidRequest,
  requestNotSupported,
  requestUriNotSupported,
  unauthorizedClient,
  unsupportedResponseType
} from '../../../runtime/errors.ts'
import { parseObject } from '../../../runtime/json-values.ts'
import { isExplorer, makeExplorerRedirectUri } from '../../explorer/oauth-client.ts'
import { findClient } from '../described-clients.ts'
import { type PageScript, pageHeaders } from '../pages/layout.ts'
import {
  type Form,
  type PageParameters,
  readResource,
  repeatedParameter,
  selectScopes
} from '../parameters.ts'
import type { Browser } from './browser.ts'

/** The parameters of a request; the forms of the pages send them again. */
const requestParameters =
  'client_id redirect_uri response_type scope state code_challenge code_challenge_method prompt max_age nonce login_hint id_token_hint resource'.split(
    ' '
  )

/**
 * Finds the client and checks the redirect URI. Throws `invalid_request`. This error must not be sent to that URI,
 * because the endpoint would be an open redirector, RFC 6749 §4.1.2.1.
 */
export async function findRedirectTarget(request: FastifyRequest, { form, repeated }: PageParameters) {
  if (repeated.has('client_id') || repeated.has('redirect_uri')) throw repeatedParameter()
  const { client_id: clientId, redirect_uri: redirectUri, state } = form
  const client = clientId === undefined ? undefined : await findClient(request, clientId)
  if (!client || client.disabled) throw invalidRequest('client_id is missing or unknown')
  const registered = isExplorer(client) ? [makeExplorerRedirectUri(request.server)] : client.redirectUris
  if (
    redirectUri === undefined ||
    !isRegistered(redirectUri, registered, { isDescribed: isDescribed(client.id) })
  )
    throw invalidRequest('redirect_uri is missing or not registered for the client')
  return { client, redirectUri, state }
}

/** The client and the URI that get the response to a request. */
export type RedirectTarget = Awaited<ReturnType<typeof findRedirectTarget>>

/** Redirects the browser to the client, with the issuer to prevent mix-up attacks, RFC 9207. */
export function redirectToClient(
  reply: FastifyReply,
  { redirectUri, state }: Pick<RedirectTarget, 'redirectUri' | 'state'>,
  response: { code: string } | { error: string; error_description: string }
): FastifyReply {
  const iss = reply.server.productTokens.issuer()
  const parameters = { ...response, ...(state !== undefined && { state }), iss }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  // The registered URI must not be changed, RFC 6749 §3.1.2.
  const url = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.join('&')}`
  // 303, so that the browser does not send the password to the client, RFC 9700 §4.12.
  return reply.redirect(url, reply.request.method === 'POST' ? 303 : 302)
}

/**
 * Sources of a Content-Security-Policy for forms that redirect to these addresses. Chromium checks each redirect after
 * a form, and clients redirect further: from a loopback address to a page that says "done", or to the origin of their
 * pages. So `https:` is always allowed. An IPv6 address cannot be a source, CSP 3 §2.3.1.
 */
const listFormTargets = (...redirects: string[]): string =>
  [...new Set(["'self'", 'https:', ...redirects.map(toFormTarget)])].join(' ')

function toFormTarget(redirect: string): string {
  const { protocol, origin, hostname } = new URL(redirect)
  return protocol === 'http:' && !hostname.startsWith('[') ? origin : protocol
}

/**
 * Checks the rest of a request. Returns `prompt` as in OpenID Connect Core 1.0 §3.1.2.1, `maxAge` in seconds. Throws an
 * error for the client, RFC 6749 §4.1.2.1.
 */
export function checkRequest(
  app: FastifyInstance,
  { client }: RedirectTarget,
  { form, repeated }: PageParameters
) {
  if (repeated.size > 0) throw repeatedParameter()
  const prompt = form.prompt?.split(' ') ?? []
  if (form.request !== undefined) throw requestNotSupported()
  if (form.request_uri !== undefined) throw requestUriNotSupported()
  if (form.response_type === undefined) throw invalidRequest('response_type is missing')
  if (form.response_type !== 'code') throw unsupportedResponseType()
  if ((form.response_mode ?? 'query') !== 'query') throw invalidRequest('response_mode must be query')
  if (!client.grantTypes.includes('authorization_code'))
    throw unauthorizedClient(`client ${client.id} may not use the grant authorization_code`)
  if (prompt.includes('none') && prompt.length > 1)
    throw invalidRequest('prompt combines none with another value')
  const scopes = selectScopes(form.scope, client.scopes, scopesOfLogin)
  return {
    scopes,
    resource: readResource(app, form),
    challenge: readChallenge(form),
    prompt,
    maxAge: readMaxAge(form),
    hintedSubject: readHintedSubject(form),
    nonce: form.nonce ?? null
  }
}

/** Whether `prompt` requires a new login. To choose an account is to log in with it. */
export const asksLogin = (prompt: string[]): boolean =>
  prompt.includes('login') || prompt.includes('select_account')

/** Reads the challenge. All clients must send one, and only S256 is allowed, RFC 9700 §2.1.1. */
function readChallenge({ code_challenge: challenge, code_challenge_method: method }: Form): string {
  if (challenge === undefined) throw invalidRequest('code_challenge is missing')
  if (method !== 'S256') throw invalidRequest('code_challenge_method must be S256')
  // S256 makes 43 characters of base64url, RFC 7636 §4.2.
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) throw invalidRequest('code_challenge is malformed')
  return challenge
}

function readMaxAge({ max_age: text }: Form): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest('max_age must be a number of seconds')
  return Number(text)
}

/**
 * Reads whom the client expects. The signature is not checked: at most, a wrong subject makes the user log in again.
 */
function readHintedSubject({ id_token_hint: hint }: Form): string | undefined {
  if (hint === undefined) return undefined
  const { sub } = parseObject(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString()) ?? {}
  if (typeof sub !== 'string') throw invalidRequest('id_token_hint is not an ID token')
  return sub
}

/** A request to the authorization endpoint, and the data for its answer. */
export interface Visit extends RedirectTarget, ReturnType<typeof checkRequest> {
  settings: ServiceSettings
  reply: FastifyReply
  form: Form
  browser: Browser
}

/**
 * Sends a page. Its forms may lead to the service, which redirects the browser to the client or to one of the sites.
 */
export const sendPage = (
  { reply, redirectUri }: Visit,
  text: string,
  scripts: PageScript[] = [],
  sites: string[] = []
): FastifyReply => reply.headers(pageHeaders(listFormTargets(redirectUri, ...sites), scripts)).send(text)

/** Makes the hidden fields of a form. They have the scopes of its page, because default scopes may change. */
export const makeHiddenFields = ({ browser, form }: Visit, scopes: string[]): Form => ({
  csrf: browser.csrf(),
  ...pickParameters({ ...form, scope: scopes.join(' ') })
})

/** Picks the parameters of a form that belong to the client's request. */
export const pickParameters = (form: Form): Form =>
  Object.fromEntries(Object.entries(form).filter(([name]) => requestParameters.includes(name)))
