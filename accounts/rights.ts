/** Every grant type that a client can have. */
export const grantTypes = ['password', 'client_credentials', 'refresh_token', 'authorization_code'] as const

/** Those of a client that cannot keep a secret. */
export const publicGrantTypes: readonly string[] = ['authorization_code', 'refresh_token']

/** Every scope, in canonical order: `read` for queries, `write` for mutations. */
export const scopes = ['read', 'write'] as const
