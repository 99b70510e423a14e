/** The options of every grant. */
interface ClientIdentity {
  clientId: string
  /** Only for programs that can keep a secret, never for a web page. */
  clientSecret?: string
  /** Such as `read write`. Default: the scopes of the client among `read`, `write` and `publish`. */
  scope?: string
  /** Initial tokens, such as those from an earlier {@link ClientIdentity.onTokens}. */
  tokens?: Tokens
  /** Called with new tokens, and with undefined when they are no longer valid. */
  onTokens?: (tokens: Tokens | undefined) => void
}

/** A program that acts on its own behalf (RFC 6749 §4.4). */
export interface ClientCredentialsAuth extends ClientIdentity {
  grant: 'client_credentials'
}

/** A program that knows a user's password (RFC 6749 §4.3). Prefer `authorization_code`. */
export interface PasswordAuth extends ClientIdentity {
  grant: 'password'
  username: string
  password: string
}

/** A program that has a refresh token (RFC 6749 §6). Each token works once, so store the one from `onTokens`. */
export interface RefreshTokenAuth extends ClientIdentity {
  grant: 'refresh_token'
  refreshToken: string
}

/** A page or a program whose user logs in at the service: authorization code with PKCE (RFC 7636). */
export interface AuthorizationCodeAuth extends ClientIdentity {
  grant: 'authorization_code'
  redirectUri: string
  /** The `iss` of the service (RFC 9207). Default: the `url` of the client. */
  issuer?: string
  /** Stores the code verifier during the login. Default: `sessionStorage`. */
  storage?: LoginStorage
  /** Opens the login page. Default: `location.assign`. */
  navigate?: (url: string) => void
}

export type GrantAuth = ClientCredentialsAuth | PasswordAuth | RefreshTokenAuth | AuthorizationCodeAuth

/** A token, a function that returns a valid token, or a grant. */
export type Auth = string | (() => string | Promise<string>) | GrantAuth

export type LoginStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Tokens and the response of the token endpoint. */
export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  /** When the access token expires and when it was issued, in milliseconds since 1970. */
  expiresAt: number
  issuedAt: number
  /** The unchanged response. The password grant and the scope `profile` add `first_name` and other profile fields. */
  response: Record<string, unknown>
}
