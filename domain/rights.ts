/** The rights of clients, users and tokens: grants, scopes, roles and resources. It also runs in the explorer. */

export type GrantType = 'password' | 'client_credentials' | 'refresh_token' | 'authorization_code'

/** The differences between grant types. `routes/oauth/grants/` has a file with the work of each. */
interface GrantRules {
  /** Whether a public client, which has no secret, may have it. */
  allowsPublicClient?: boolean
  /** Whether the client gets the user's profile with any scopes, because it knows the user anyway. */
  givesProfile?: boolean
  /** Its parameters that no URL may have, because they would end up in logs, RFC 6749 §2.3.1. */
  credentials?: string[]
}

/** Every grant type that a client can have. */
export const grants: Record<GrantType, GrantRules> = {
  password: {
    givesProfile: true,
    credentials: ['username', 'email', 'password']
  },
  client_credentials: {},
  refresh_token: {
    allowsPublicClient: true,
    credentials: ['refresh_token']
  },
  authorization_code: {
    allowsPublicClient: true,
    credentials: ['code', 'code_verifier']
  }
}

export const grantTypes = Object.keys(grants) as GrantType[]

/** The grant types of a public client, in alphabetical order. */
export const publicGrantTypes: readonly string[] = grantTypes
  .filter(type => grants[type].allowsPublicClient)
  .sort()

/** Whether a text is the name of a grant type. */
export const isGrantType = (text: string): text is GrantType => Object.hasOwn(grants, text)

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
  admin: ['read', 'write', 'publish', 'admin']
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
