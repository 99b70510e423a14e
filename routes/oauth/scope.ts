import { scopes } from '../../accounts/clients.ts'
import { invalidScope } from '../../errors.ts'

/** scope-token *( SP scope-token ), RFC 6749 §3.3. */
const grammar = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * Returns the scopes to grant: the requested ones or else all of the client's, without duplicates, in canonical order.
 * Throws `invalid_scope` if a scope is malformed, unknown or not allowed for the client.
 */
export function grantedScopes(requested: string | undefined, allowed: string[]): string[] {
  if (requested === undefined) return scopes.filter(scope => allowed.includes(scope))
  if (!grammar.test(requested)) throw invalidScope('malformed')
  const wanted = new Set(requested.split(' '))
  const granted = scopes.filter(scope => wanted.has(scope) && allowed.includes(scope))
  if (granted.length < wanted.size) throw invalidScope('unknown or not allowed for the client')
  return granted
}
