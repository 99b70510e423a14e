/** Every grant type that a client can have. */
export const grantTypes = ['password', 'client_credentials', 'refresh_token'] as const

/** Every scope, in canonical order: `read` for queries, `write` for mutations. */
export const scopes = ['read', 'write'] as const
