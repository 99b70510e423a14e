import { scopes } from '../../accounts/rights.ts'
import { invalidScope } from '../../errors.ts'

/** scope-token *( SP scope-token ), RFC 6749 §3.3. */
const grammar = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * Returns the scopes to grant, without duplicates and in canonical order: the requested ones, or else the default ones
 * that the client may have. Throws `invalid_scope` if one is malformed, unknown or not allowed for the client, or if
 * there is none.
 */
export function grantedScopes(
  requested: string | undefined,
  allowed: string[],
  byDefault: readonly string[] = scopes
): string[] {
  if (requested !== undefined && !grammar.test(requested)) throw invalidScope('malformed')
  const wanted = new Set(requested?.split(' ') ?? byDefault.filter(scope => allowed.includes(scope)))
  const granted = scopes.filter(scope => wanted.has(scope) && allowed.includes(scope))
  if (granted.length < wanted.size) throw invalidScope('unknown or not allowed for the client')
  if (granted.length === 0) throw invalidScope('the client has none by default')
  return granted
}
