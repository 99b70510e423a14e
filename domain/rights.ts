/** The rights of clients, users and tokens: grants, scopes, roles and resources. It also runs in the explorer. */

/** Every grant type that a client can have. `routes/oauth/grants/` has a file for each. */
export const grantTypes = ['password', 'client_credentials', 'refresh_token', 'authorization_code'] as const

export type GrantType = (typeof grantTypes)[number]

/** The grant types that a public client, which has no secret, may have. */
export const publicGrantTypes: readonly string[] = ['authorization_code', 'refresh_token']

/** Whether a text is the name of a grant type. */
export const isGrantType = (text: string): text is GrantType => grantTypes.some(type => type === text)

/** Says why the settings refuse a grant type, for the log; undefined if they allow it. */
export const findGrantRefusal = (type: GrantType, { passwordLogin }: { passwordLogin: boolean }) =>
  type === 'password' && !passwordLogin ? 'PASSWORD_LOGIN is false' : undefined

/** The scopes for templates: `read` for queries, `write` for mutations. */
export const apiScopes = ['read', 'write'] as const

/** Scopes that only tell the client about its user. They are no rights. */
const identityScopes = ['profile', 'openid', 'email'] as const

/**
 * Every scope, in canonical order. With `profile`, the token response for an authorization code has the user's profile.
 * `openid` and `email` are those of OpenID Connect Core 1.0 §5.4.
 */
export const scopes = [...apiScopes, ...identityScopes, 'admin'] as const

export type Scope = (typeof scopes)[number]

/** The scopes of a login whose request names no scope. */
export const scopesOfLogin = scopes.filter(scope => scope !== 'admin')

/**
 * The rights that a role may have: to read, to write templates, to publish and delete them, and to administer accounts.
 * All rights require `read`, and `publish` requires `write`.
 */
export const rights = ['read', 'write', 'publish', 'admin'] as const

/** The rights of users. A token's scopes say which its client may use. The scope `write` includes `publish`. */
const rightsOfRoles = {
  reader: ['read'],
  editor: ['read', 'write'],
  publisher: ['read', 'write', 'publish'],
  admin: rights
} as const

export type Role = keyof typeof rightsOfRoles
export const roles = Object.keys(rightsOfRoles) as Role[]
export const defaultRole = 'publisher' satisfies Role

/** Returns the role of a user. A role that only a newer program knows counts as the role with the fewest rights. */
export const toRole = (stored: string): Role => roles.find(role => role === stored) ?? 'reader'

/** Whether a scope is no right, such as `openid`. */
export const concernsUser = (scope: string): boolean => identityScopes.some(name => name === scope)

/** Whether a role allows a scope or a right. Every role allows a scope that concerns the user alone. */
export const roleAllows = (role: Role, scope: string): boolean =>
  concernsUser(scope) || (rightsOfRoles[role] as readonly string[]).includes(scope)

/** A resource of RFC 8707: an endpoint, by its path below the issuer, or the issuer for all endpoints. */
export type Resource = Endpoint | ''

/** The path of an endpoint that tokens are for. */
export type Endpoint = `/${string}`

/** The endpoint that a token must be for; `any` takes the tokens for every endpoint. */
export type WantedEndpoint = Endpoint | 'any'

/** Selects from `all` the endpoints of a resource; without a resource, `/graphql`. */
export const endpointsOf = (resource: Resource | null, all: readonly Endpoint[]): readonly Endpoint[] =>
  resource === '' ? all : [resource ?? '/graphql']

/** Whether a grant for one resource allows tokens for another one, RFC 8707 §2.2. */
export const grantAllowsResource = (granted: Resource | null, requested: Resource | null): boolean =>
  requested === null || granted === '' || (granted ?? '/graphql') === requested
