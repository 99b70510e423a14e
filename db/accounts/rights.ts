/** The grants and the scopes that clients may have. The explorer loads them, so they run without Node.js. */

/** Every grant type that a client can have. */
export const grantTypes = ['password', 'client_credentials', 'refresh_token', 'authorization_code'] as const

export type GrantType = (typeof grantTypes)[number]

/** The grant types of a public client, which has no secret. */
export const publicGrantTypes: readonly string[] = [
  'authorization_code',
  'refresh_token'
] satisfies GrantType[]

/** The scopes for templates: `read` for queries, `write` for mutations. */
export const apiScopes = ['read', 'write'] as const

/**
 * Every scope, in canonical order. With `profile`, the token response for an authorization code has the user's profile.
 * `openid` and `email` are those of OpenID Connect Core 1.0 §5.4.
 */
export const scopes = [...apiScopes, 'profile', 'openid', 'email', 'admin'] as const

export type Scope = (typeof scopes)[number]

/** The scopes of a client that requests none by name. */
export const scopesByDefault = scopes.filter(scope => scope !== 'admin')
