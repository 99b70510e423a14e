/** What a client of any grant may say. */
interface ClientIdentity {
  clientId: string
  /** Only for programs that can keep a secret: never in a page. */
  clientSecret?: string
  /** Such as `read write`; by default what the client may have. `profile` adds the profile of a user who logs in. */
  scope?: string
  /** The tokens to begin with, such as those that {@link ClientIdentity.onTokens} was given before. */
  tokens?: Tokens
  /** Called with new tokens, and with undefined once they are no longer valid. */
  onTokens?: (tokens: Tokens | undefined) => void
}

/** A program that acts on its own behalf, RFC 6749 §4.4. */
export interface ClientCredentialsAuth extends ClientIdentity {
  grant: 'client_credentials'
}

/** A program that knows the password of a user, RFC 6749 §4.3; prefer `authorization_code`. */
export interface PasswordAuth extends ClientIdentity {
  grant: 'password'
  username: string
  password: string
}

/** A program that was given a refresh token, RFC 6749 §6. Each works once: keep what `onTokens` brings. */
export interface RefreshTokenAuth extends ClientIdentity {
  grant: 'refresh_token'
  refreshToken: string
}

/** A page or a program whose user logs in at the service: authorization code with PKCE, RFC 7636. */
export interface AuthorizationCodeAuth extends ClientIdentity {
  grant: 'authorization_code'
  redirectUri: string
  /** `iss` of the service, RFC 9207; by default the `url` of the client. */
  issuer?: string
  /** Where the verifier waits for the redirect; `sessionStorage` by default. */
  storage?: LoginStorage
  /** Shows the login page; `location.assign` by default. */
  navigate?: (url: string) => void
}

export type GrantAuth = ClientCredentialsAuth | PasswordAuth | RefreshTokenAuth | AuthorizationCodeAuth

/** A token, a function that brings a valid one, or a grant. */
export type Auth = string | (() => string | Promise<string>) | GrantAuth

export type LoginStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Tokens with all that a response of the token endpoint has. */
export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  /** When the access token expires and when it was issued, in milliseconds since 1970. */
  expiresAt: number
  issuedAt: number
  /** The response as it came; with the password of a user or the scope `profile` with `first_name` and the like. */
  response: Record<string, unknown>
}
