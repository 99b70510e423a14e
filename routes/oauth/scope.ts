import { invalidScope } from '../../errors.ts'

/** Every scope, in canonical order: `read` for queries, `write` for mutations. */
export const scopes = ['read', 'write']

/** scope-token *( SP scope-token ), RFC 6749 §3.3. */
const grammar = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * The scopes to grant: those asked for, or all of the client's, as a set in canonical order. Throws
 * `invalid_scope` for a malformed or unknown scope and for one that the client does not have.
 */
export function grantedScopes(asked: string | undefined, allowed: string[]): string[] {
  if (asked === undefined) return scopes.filter(scope => allowed.includes(scope))
  if (!grammar.test(asked)) throw invalidScope('malformed')
  const wanted = new Set(asked.split(' '))
  const granted = scopes.filter(scope => wanted.has(scope) && allowed.includes(scope))
  if (granted.length < wanted.size) throw invalidScope('unknown, or not allowed to the client')
  return granted
}
