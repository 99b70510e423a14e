import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { type AttemptSubject, RequestCounter } from '../../db/accounts/attempts.ts'
import type { StoredClient } from '../../db/accounts/clients.ts'
import type { Resource } from '../../db/accounts/resource.ts'
import { scopes } from '../../db/accounts/rights.ts'
import { allows, type Role } from '../../db/accounts/roles.ts'
import {
  invalidRequest,
  invalidScope,
  invalidTarget,
  type PublicError,
  type Reason,
  tooManyRequests
} from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { decodeFormValue } from '../../plugins/client-auth.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { repeatUntilClose } from '../../plugins/maintenance.ts'
import { isPlainUtf8 } from '../responses/negotiation.ts'

/** Parameters of a form body by name. */
export type Form = Record<string, string>

/** Maximum bytes of a body. A token request has a few short parameters. */
const bodyLimit = 16 * 1024

/** Shared by the OAuth endpoints: form bodies, uncached responses, the error format. */
export const oauthProtocol = fp(
  async app => {
    // The host's parsers are not affected.
    app.removeAllContentTypeParsers()
    // A malformed body is a value, not an error, because the client is authenticated before the body is refused.
    await app.register(formbody, { bodyLimit, parser: parseForm as never })
    await app.register(errorHandler, { body: formatOAuthError })
    app.addHook('onRequest', async (_request, reply) => {
      // RFC 6749 §5.1.
      reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    })
    app.addHook('onRequest', app.productAddressLimit)
    app.addHook('preParsing', async ({ headers }) => {
      // RFC 6749 appendix B allows only UTF-8, and a form is too short to compress.
      if (!isPlainUtf8(headers)) throw invalidRequest('the body must be plain UTF-8', 415)
    })
  },
  { name: 'product-oauth-protocol', fastify: '5.x' }
)

/** The codes of RFC 6749 §5.2, RFC 6750 §3.1 and RFC 8707 §2. */
const registeredCodes =
  /^(invalid_(request|client|grant|scope|token|target)|unauthorized_client|unsupported_grant_type|insufficient_scope)$/

/** Formats an error, RFC 6749 §5.2. Errors of the service use the codes of the authorization endpoint, §4.1.2.1. */
function formatOAuthError({ code, statusCode, message }: PublicError) {
  if (statusCode === 503 || statusCode === 429)
    return { error: 'temporarily_unavailable', error_description: message }
  if (statusCode >= 500) return { error: 'server_error', error_description: message }
  return { error: registeredCodes.test(code) ? code : 'invalid_request', error_description: message }
}

/** The parameters of all grants that carry credentials. In a URL they would end up in logs, RFC 6749 §2.3.1. */
const credentials = 'client_secret token username email password code code_verifier refresh_token'.split(' ')

/**
 * Returns the parameters of an OAuth request; an empty one counts as absent, RFC 6749 §3.2. Throws `invalid_request`
 * for a malformed body, credentials in the URL and a second authentication method.
 */
export function readOAuthParameters({ body, query, productClient }: FastifyRequest): Form {
  if (credentials.some(name => name in (query as object)))
    throw invalidRequest('credentials are not allowed in the URL')
  // The text of what is wrong with a malformed body.
  if (typeof body === 'string') throw invalidRequest(body)
  const form: Form = Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== ''))
  // One authentication method per request, RFC 6749 §2.3.
  if (form.client_secret)
    throw invalidRequest('client credentials are allowed in the header or the body, not in both')
  if (form.client_id && form.client_id !== productClient?.id)
    throw invalidRequest('client_id differs from the authenticated client')
  return form
}

/**
 * Reads the parameter `resource`, RFC 8707 §2; null if absent. Throws `invalid_target` unless it is the issuer, or an
 * endpoint that the service has.
 */
export function readResource(
  app: FastifyInstance,
  { resource }: Form,
  { mcp }: ServiceSettings
): Resource | null {
  // Without MCP there is one kind of token, and RFC 6749 §3.2 ignores unknown parameters.
  if (resource === undefined || !mcp) return null
  const known: Resource[] = ['', '/graphql', '/mcp']
  // Some clients add a slash to an issuer without a path.
  const given = resource.replace(/\/$/, '')
  const found = known.find(path => given === `${app.productTokens.issuer()}${path}`)
  if (found === undefined) throw invalidTarget()
  return found
}

/** scope-token *( SP scope-token ), RFC 6749 §3.3. */
const scopeGrammar = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * Returns the scopes to grant, without duplicates and in canonical order: the requested scopes, or else the default
 * scopes that the client may have. Throws `invalid_scope` if a scope is malformed, unknown or not allowed for the
 * client, or if no scope is left.
 */
export function selectScopes(
  requested: string | undefined,
  allowed: string[],
  byDefault: readonly string[] = scopes
): string[] {
  if (requested !== undefined && !scopeGrammar.test(requested)) throw invalidScope('malformed')
  const wanted = new Set(requested?.split(' ') ?? byDefault.filter(scope => allowed.includes(scope)))
  const granted = scopes.filter(scope => wanted.has(scope) && allowed.includes(scope))
  if (granted.length < wanted.size) throw invalidScope('unknown or not allowed for the client')
  if (granted.length === 0) throw invalidScope('the client has none by default')
  return granted
}

/** Returns those of the scopes that a role allows. Throws `invalid_scope` if there are none. */
export function limitScopes(scopes: string[], role: Role): string[] {
  const allowed = scopes.filter(scope => allows(role, scope))
  if (allowed.length === 0) throw invalidScope('the role of the user allows none of the scopes')
  return allowed
}

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
export function decodePairs(text: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = []
  for (const pair of text.split('&').filter(pair => pair !== '')) {
    const [, name = '', given = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    const [key, value] = [decodeFormValue(name), decodeFormValue(given)]
    if (key === undefined || value === undefined) return undefined
    pairs.push([key, value])
  }
  return pairs
}

/**
 * Creates the hook that limits the requests of an address, before anything else is checked. On a Unix domain socket,
 * requests come from this machine only and have no address.
 */
export function createAddressLimit(app: FastifyInstance, { addressLimit }: ServiceSettings) {
  const count = createLimit(app, addressLimit, 'the requests of addresses', 'address_limit')
  return async ({ ip }: FastifyRequest) => {
    if (ip) await count({ address: findNetwork(ip) }, 'requests of the address')
  }
}

/** An IPv6 /64 network, such as that of a household, counts as one address. */
function findNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return 'parts' in address ? address.parts.slice(0, 4).join(':') : address.toString()
}

/**
 * Creates a function that counts a request of an authenticated client. It throws 429 beyond the limit. It does not
 * count a public client, because anyone could use up the limit of all its users with its id.
 */
export function createClientLimit(app: FastifyInstance, { clientLimit }: ServiceSettings) {
  const count = createLimit(app, clientLimit, 'the token requests of clients', 'client_limit')
  return async ({ id, isPublic }: StoredClient) => {
    if (!isPublic) await count({ client: id }, `token requests of client ${id}`)
  }
}

/** Milliseconds between two writes of the counts of requests. */
const writeIntervalMs = 1000

/** 0 means no limit. `name` and `what` are for the log. */
function createLimit(app: FastifyInstance, limit: number, name: string, reason: Reason) {
  if (limit === 0) return async () => {}
  const counter = new RequestCounter(app.productStore)
  const write = () => counter.write().catch(err => app.log.error({ err }, `${name} could not be stored`))
  // Runs after the last round, because Fastify calls the hook of `repeatUntilClose` first.
  app.addHook('onClose', write)
  repeatUntilClose(app, () => write().then(() => writeIntervalMs), writeIntervalMs)
  return async (subject: AttemptSubject, what: string) => {
    const { count, secondsLeft } = await counter.count(subject)
    if (count > limit) throw tooManyRequests(what, secondsLeft, reason)
  }
}
