import { array, boolean, type DecoderType, integer, min, object, string } from 'decoders'
import type { TokenSubject, UserRights } from '../../db/accounts/token-status.ts'
import { readStoredRule, type TemplateRule } from '../../db/templates/rule.ts'
import { apiScopes, type Role, roleAllows } from '../../domain/rights.ts'
import { either, nonEmptyText, optional } from '../../runtime/validator.ts'

const natural = min(0, integer)

/** Claims of an access token, RFC 9068 §2.2. */
export const AccessTokenClaims = object({
  iss: string,
  sub: nonEmptyText,
  aud: either(string, array(string)),
  client_id: nonEmptyText,
  iat: natural,
  exp: natural,
  jti: nonEmptyText,
  scope: string,
  /** Id of its family of refresh tokens. */
  sid: optional(string),
  /** `tokenEpoch` of the user when the token was issued; absent means 0. */
  epoch: optional(natural),
  /** `tokenEpoch` of the client when the token was issued; absent means 0. */
  client_epoch: optional(natural),
  /** Whether only the host knows the subject: it is neither a user nor a client in the database. */
  external: optional(boolean)
})
export type AccessTokenClaims = DecoderType<typeof AccessTokenClaims>

/** The claims of a valid token, and the rights of its holder. */
export interface VerifiedToken extends AccessTokenClaims {
  /** The scopes of the token that the user's role allows, as a text and as a list. */
  scope: string
  /** Each scope once. Frozen, because all requests of a token share it. */
  scopes: readonly string[]
  /** Whether the holder may publish and delete templates. */
  mayPublish: boolean
  /** The role of the user; null without a user. */
  role: Role | null
  /** The templates that the holder may see and write; undefined means all. */
  rule: TemplateRule | undefined
  /** The name of a subject that is not a user of this service; null if unknown. */
  name: string | null
}

/** A token with a valid signature and valid claims. */
export interface KnownToken {
  /** The claims and the rights of the holder. */
  verified: VerifiedToken
  /** Whether this service is still its issuer, or another issuer still has its key; and it is not of the future. */
  isCurrent(): boolean
  /** The status of a token of this service. A token of another issuer has no status here. */
  own?: OwnToken
}

/** The facts that only this service knows about its token. */
interface OwnToken {
  /** The claims with all scopes of the token, whatever the user's role allows. */
  claims: AccessTokenClaims
  /** The facts that must not have changed since the token was issued. */
  subject: TokenSubject
  /** The `Version.access` at which the token was valid; undefined before its status was read. */
  access?: string
}

/** Splits the rights that another issuer or a host gives: `publish` is no OAuth scope. Leaves out unknown ones. */
export function splitRights(
  rights: readonly string[]
): Pick<VerifiedToken, 'scope' | 'scopes' | 'mayPublish'> {
  const scopes = [...apiScopes, 'admin'].filter(name => rights.includes(name))
  return { scope: scopes.join(' '), scopes: Object.freeze(scopes), mayPublish: rights.includes('publish') }
}

/**
 * Adds the rights of the holder to the claims of a token of this service. `role` and `where` belong to the user.
 * The result is frozen, because it is cached for later requests.
 */
export function limitToUser(claims: AccessTokenClaims, { role, where }: UserRights): VerifiedToken {
  const scopes = claims.scope.split(' ').filter(name => name && (!role || roleAllows(role, name)))
  // A client with `write` may publish, unless it acts for a user who may not.
  const mayPublish = scopes.includes('write') && (!role || roleAllows(role, 'publish'))
  if (Array.isArray(claims.aud)) Object.freeze(claims.aud)
  const rule = where == null ? undefined : readStoredRule(where)
  return Object.freeze({
    ...claims,
    scope: scopes.join(' '),
    scopes: Object.freeze([...new Set(scopes)]),
    mayPublish,
    role: role ?? null,
    rule,
    name: null
  })
}
