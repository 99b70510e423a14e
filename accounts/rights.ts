/** Every grant type that a client can have. */
export const grantTypes = ['password', 'client_credentials', 'refresh_token', 'authorization_code'] as const

export type GrantType = (typeof grantTypes)[number]

/** Those of a client that cannot keep a secret. */
export const publicGrantTypes: readonly string[] = ['authorization_code', 'refresh_token']

/** The scopes of the API: `read` for queries, `write` for mutations. */
export const apiScopes = ['read', 'write'] as const

/** Every scope, in canonical order. With `profile`, an authorization code also gives the client the user's profile. */
export const scopes = [...apiScopes, 'profile'] as const
