import { apiScopes } from '../db/accounts/clients.ts'
import { allows, type Role } from '../db/accounts/roles.ts'
import { readStoredRule, type TemplateRule } from '../db/templates/rules/rule.ts'
import type { AccessTokenClaims } from './own-token.ts'

/** The claims of a token that is valid, and what its holder may do. */
export interface VerifiedToken extends AccessTokenClaims {
  /** Those of its scopes that the role of its user allows. */
  scope: string
  /** Whether it may publish and delete templates. */
  mayPublish: boolean
  /** That of its user; null without one. */
  role: Role | null
  /** The templates that it may see and write; undefined: all. */
  rule: TemplateRule | undefined
  /** What its subject is called, if it is no user of this service; null if unknown. */
  name: string | null
}

/** A token is invalid "on or after" the second `exp`, RFC 7519 §4.1.4. */
export const isExpired = ({ exp }: Pick<AccessTokenClaims, 'exp'>): boolean => exp * 1000 <= Date.now()

/** Says what somebody may do to whom another issuer, or a host, gives scopes and rights. Unknown ones are left out. */
export const toRights = (given: readonly string[]): Pick<VerifiedToken, 'scope' | 'mayPublish'> => ({
  scope: [...apiScopes, 'admin'].filter(name => given.includes(name)).join(' '),
  mayPublish: given.includes('publish')
})

/**
 * Says what the holder of a token of this service may do; `role` and `where` are those of its user. Frozen, because the claims are cached
 * and serve later requests.
 */
export function limitToUser(
  claims: AccessTokenClaims,
  { role, where }: { role?: Role; where?: string | null } = {}
): VerifiedToken {
  const { scope: granted } = claims
  const scope = role
    ? granted
        .split(' ')
        .filter(name => allows(role, name))
        .join(' ')
    : granted
  // A client that may write may publish, unless it writes for a user who may not.
  const mayPublish = scope.split(' ').includes('write') && (role === undefined || allows(role, 'publish'))
  if (Array.isArray(claims.aud)) Object.freeze(claims.aud)
  const rule = where == null ? undefined : readStoredRule(where)
  return Object.freeze({ ...claims, scope, mayPublish, role: role ?? null, rule, name: null })
}
