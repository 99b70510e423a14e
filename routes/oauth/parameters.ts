/** The parameters of OAuth requests: forms, scopes and resources. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { maxEmailLength } from '../../db/accounts/users.ts'
import { type Resource, type Role, roleAllows, scopes } from '../../domain/rights.ts'
import { invalidRequest, invalidScope, invalidTarget } from '../../runtime/errors.ts'
import { decodeFormValue } from '../../runtime/form-value.ts'

/** Parameters of a form body by name. */
export type Form = Record<string, string>

/** The parameters with credentials. A URL must not have them, because it would end up in logs, RFC 6749 §2.3.1. */
const credentials = 'client_secret token username email password refresh_token code code_verifier'.split(' ')

/**
 * Returns the parameters of an OAuth request; an empty one counts as absent, RFC 6749 §3.2. Throws `invalid_request`
 * for a malformed body, credentials in the URL and a second authentication method.
 */
export function readOAuthParameters({ body, query, productClient }: FastifyRequest): Form {
  if (credentials.some(name => name in (query as object)))
    throw invalidRequest('credentials are not allowed in the URL')
  // A malformed body was parsed to a text that describes the error.
  if (typeof body === 'string') throw invalidRequest(body)
  const form: Form = Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== ''))
  // One authentication method per request, RFC 6749 §2.3.
  if (form.client_secret)
    throw invalidRequest('client_secret is not allowed in the body: the client has authenticated already')
  if (form.client_id && form.client_id !== productClient?.id)
    throw invalidRequest('client_id differs from the authenticated client')
  return form
}

/** Maximum length of all parameters together. */
const maxParametersLength = 16 * 1024
const maxStateLength = 2048

/** The parameters of a request that occur once, and the names of repeated parameters. */
export interface PageParameters {
  form: Form
  repeated: Set<string>
}

/** Reads the parameters of a page: by GET from the query, by POST from the body alone. Throws `invalid_request`. */
export function readPageParameters({ method, raw, body }: FastifyRequest): PageParameters {
  const [, query = ''] = /\?(.*)$/s.exec(raw.url ?? '') ?? []
  if (method === 'GET') return parseParameters(query)
  if (query !== '') throw invalidRequest('parameters are allowed in the URL or in the body, not in both')
  return parseParameters(String(body ?? ''))
}

/** An empty parameter counts as absent, RFC 6749 §3.1. */
function parseParameters(text: string): PageParameters {
  if (text.length > maxParametersLength) throw invalidRequest('the parameters are too long')
  const pairs = decodePairs(text)
  if (!pairs || pairs.some(pair => /\p{Cc}/u.test(pair.join(''))))
    throw invalidRequest('a parameter is not encoded correctly')
  if (pairs.some(([name, value]) => /^(state|nonce)$/.test(name) && value.length > maxStateLength))
    throw invalidRequest('state or nonce is too long')
  if (pairs.some(([name, value]) => name === 'login_hint' && value.length > maxEmailLength))
    throw invalidRequest('login_hint is too long')
  const present = pairs.filter(([, value]) => value !== '')
  const given = [...Map.groupBy(present, ([name]) => name)]
  const single = given.filter(([, same]) => same.length === 1).flatMap(([, same]) => same)
  const repeated = given.filter(([, same]) => same.length > 1).map(([name]) => name)
  return { form: Object.fromEntries(single), repeated: new Set(repeated) }
}

export const repeatedParameter = () => invalidRequest('a parameter is repeated')

/**
 * Parses `application/x-www-form-urlencoded` strictly: RFC 6749 appendix B; no repeated parameters, §3.2. For a
 * malformed form, returns a text that describes the error without quoting the form.
 */
export function parseForm(text: string): Form | string {
  const pairs = decodePairs(text)
  if (!pairs) return 'a parameter is not encoded correctly'
  const form: Form = Object.assign(Object.create(null), Object.fromEntries(pairs))
  return Object.keys(form).length < pairs.length ? 'a parameter is repeated' : form
}

/** Splits and decodes a form; undefined if a name or a value is not encoded correctly. */
function decodePairs(text: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = []
  for (const pair of text.split('&').filter(pair => pair !== '')) {
    const [, name = '', given = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    const [key, value] = [decodeFormValue(name), decodeFormValue(given)]
    if (key === undefined || value === undefined) return undefined
    pairs.push([key, value])
  }
  return pairs
}

/** scope-token *( SP scope-token ), RFC 6749 §3.3. */
const scopeGrammar = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * Returns the scopes to grant, without duplicates and in canonical order: the requested scopes, or else the default
 * scopes that the client may have. Throws `invalid_scope` if a scope is malformed, unknown or not allowed for the
 * client, or if no scope is left. Beside `openid`, unknown scopes are ignored, OpenID Connect Core 1.0 §3.1.2.1: many
 * clients always request `offline_access`.
 */
export function selectScopes(
  requested: string | undefined,
  allowed: string[],
  byDefault: readonly string[] = scopes
): string[] {
  if (requested !== undefined && !scopeGrammar.test(requested)) throw invalidScope('malformed')
  const wanted = new Set(requested?.split(' ') ?? byDefault.filter(scope => allowed.includes(scope)))
  if (wanted.has('openid'))
    for (const scope of wanted) if (!scopes.some(known => known === scope)) wanted.delete(scope)
  const granted = scopes.filter(scope => wanted.has(scope) && allowed.includes(scope))
  if (granted.length < wanted.size) throw invalidScope('unknown or not allowed for the client')
  if (granted.length === 0) throw invalidScope('the client has no default scope')
  return granted
}

/** Returns the scopes that a role allows. Throws `invalid_scope` if none is left. */
export function limitScopes(scopes: string[], role: Role): string[] {
  const allowed = scopes.filter(scope => roleAllows(role, scope))
  if (allowed.length === 0) throw invalidScope('the role of the user allows none of the scopes')
  return allowed
}

/**
 * Reads the parameter `resource`, RFC 8707 §2; null if absent. Throws `invalid_target` unless it is the issuer, or an
 * endpoint that the service has.
 */
export function readResource({ productTokens }: FastifyInstance, { resource }: Form): Resource | null {
  const { endpoints } = productTokens
  // If there is one endpoint, there is one kind of token, and RFC 6749 §3.2 ignores unknown parameters.
  if (resource === undefined || endpoints.size === 1) return null
  const known: Resource[] = ['', ...endpoints]
  // Some clients add a slash to an issuer without a path.
  const given = resource.replace(/\/$/, '')
  const found = known.find(path => given === `${productTokens.issuer()}${path}`)
  if (found === undefined) throw invalidTarget('unknown resource')
  return found
}
