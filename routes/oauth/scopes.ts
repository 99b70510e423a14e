import type { FastifyInstance } from 'fastify'
import { allows, type Resource, type Role, scopes } from '../../db/accounts/rights.ts'
import { invalidScope, invalidTarget } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import type { Form } from './forms.ts'

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
