import { apiScopes } from '../db/accounts/clients.ts'
import { allows, type Role } from '../db/accounts/roles.ts'
import { readStoredRule, type TemplateRule } from '../db/templates/rules/rule.ts'
import type { AccessTokenClaims } from './own-token.ts'

/** The claims of a valid token, and the rights of its holder. */
export interface VerifiedToken extends AccessTokenClaims {
  /** The scopes of the token that the user's role allows. */
  scope: string
  /** Whether the holder may publish and delete templates. */
  mayPublish: boolean
  /** The role of the user; null without a user. */
  role: Role | null
  /** The templates that the holder may see and write; undefined means all. */
  rule: TemplateRule | undefined
  /** The name of a subject that is not a user of this service; null if unknown. */
  name: string | null
}

/** A token is invalid "on or after" the second `exp`, RFC 7519 §4.1.4. */
export const isExpired = ({ exp }: Pick<AccessTokenClaims, 'exp'>): boolean => exp * 1000 <= Date.now()

/** Converts the scopes and rights that another issuer or a host gives. Unknown ones are left out. */
export const toRights = (given: readonly string[]): Pick<VerifiedToken, 'scope' | 'mayPublish'> => ({
  scope: [...apiScopes, 'admin'].filter(name => given.includes(name)).join(' '),
  mayPublish: given.includes('publish')
})

/**
 * Adds the rights of the holder to the claims of a token of this service. `role` and `where` are those of the user.
 * The result is frozen, because it is cached for later requests.
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
  // A client with `write` may publish, unless it acts for a user who may not.
  const mayPublish = scope.split(' ').includes('write') && (role === undefined || allows(role, 'publish'))
  if (Array.isArray(claims.aud)) Object.freeze(claims.aud)
  const rule = where == null ? undefined : readStoredRule(where)
  return Object.freeze({ ...claims, scope, mayPublish, role: role ?? null, rule, name: null })
}
