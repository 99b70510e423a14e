import type { Auth, AuthorizationCodeAuth, GrantAuth, RefreshTokenAuth, Tokens } from './auth.ts'
import { abortable } from './clock.ts'
import { LoginRequiredError, OAuthError } from './errors.ts'
import type { Connection } from './http.ts'
import { postForm, requestTokens } from './token-endpoint.ts'

/** Provides access tokens for requests. */
export interface TokenSource {
  /** Returns a token that is probably valid. */
  get(signal: AbortSignal): Promise<string>
  /** Reports a token that the service refused. */
  refuse(token: string): void
}

/** A token from the caller. After a refusal, the function is called once more. */
export const givenTokens = (auth: Exclude<Auth, GrantAuth>): TokenSource => ({
  get: async signal => (typeof auth === 'string' ? auth : abortable(Promise.resolve(auth()), signal)),
  refuse: () => {}
})

/** Milliseconds before a failed renewal is retried while the token is still valid. */
const renewalPause = 5000

const expired: Tokens = { accessToken: '', refreshToken: undefined, issuedAt: 0, expiresAt: 0, response: {} }

/** The tokens of a grant. All waiting requests share one renewal. */
export class GrantTokens implements TokenSource {
  #tokens: Tokens | undefined
  #pending: Promise<Tokens> | undefined
  #renewFrom = 0
  readonly #connection: Connection
  readonly #auth: GrantAuth

  constructor(connection: Connection, auth: GrantAuth) {
    this.#connection = connection
    this.#auth = auth
    const given = auth.grant === 'refresh_token' ? { ...expired, refreshToken: auth.refreshToken } : undefined
    this.#use(auth.tokens ?? given)
  }

  async get(signal: AbortSignal): Promise<string> {
    const valid = this.#valid
    if (!valid) return (await abortable(this.#pending ?? this.#renew(), signal)).accessToken
    if (this.#now >= this.#renewFrom && !this.#pending) this.#renewAhead()
    return valid.accessToken
  }

  get #now(): number {
    return this.#connection.clock.now()
  }

  /** The tokens, unless the access token has expired. */
  get #valid(): Tokens | undefined {
    return this.#tokens && this.#now < this.#tokens.expiresAt ? this.#tokens : undefined
  }

  refuse(token: string): void {
    // Another request may have renewed the token meanwhile.
    if (this.#tokens?.accessToken === token) this.#tokens = { ...this.#tokens, expiresAt: 0 }
  }

  /** Obtains tokens by a request. Concurrent calls of `get` wait for it. */
  obtain(request: () => Promise<Tokens>): Promise<Tokens> {
    const pending: Promise<Tokens> = request().then(tokens => {
      // Another login has been completed meanwhile, and counts.
      if (this.#pending !== pending) return this.#pending ?? this.#tokens ?? tokens
      this.#use(tokens)
      this.#auth.onTokens?.(tokens)
      return tokens
    })
    this.#pending = pending
    const done = () => {
      if (this.#pending === pending) this.#pending = undefined
    }
    // Handles the rejection even if no caller waits any more.
    pending.then(done, done)
    return pending
  }

  /** Revokes the tokens (RFC 7009) and forgets them, even if the service does not respond. */
  async revoke(): Promise<void> {
    await this.#pending?.catch(() => {})
    const { refreshToken, accessToken } = this.#tokens ?? {}
    this.#forget()
    const token = refreshToken ?? accessToken
    if (token !== undefined) await postForm(this.#connection, this.#auth, '/oauth/revoke', { token })
  }

  #use(tokens: Tokens | undefined): void {
    this.#tokens = tokens
    if (tokens) {
      // Early enough for a slow service, and late enough for short-lived tokens.
      const ahead = Math.min(60_000, (tokens.expiresAt - tokens.issuedAt) / 5)
      this.#renewFrom = tokens.expiresAt - ahead
    }
  }

  #forget(): void {
    if (this.#tokens) this.#auth.onTokens?.(undefined)
    this.#tokens = undefined
  }

  /** Renews in the background while the current token is still valid. */
  #renewAhead(): void {
    this.#renewFrom = this.#now + renewalPause
    this.#renew().catch(() => {})
  }

  #renew(): Promise<Tokens> {
    return this.obtain(() => this.#requestNew())
  }

  async #requestNew(): Promise<Tokens> {
    const auth = this.#auth
    const refreshToken = this.#tokens?.refreshToken
    if (refreshToken !== undefined) {
      try {
        const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken }
        const renewed = await requestTokens(this.#connection, auth, parameters)
        return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
      } catch (error) {
        if (!(error instanceof OAuthError) || error.code !== 'invalid_grant') throw error
        if (this.#tokens?.refreshToken === refreshToken) this.#forget()
        if (isInteractive(auth)) throw new LoginRequiredError('log in again', { cause: error })
      }
    }
    if (isInteractive(auth)) {
      if (!this.#valid) this.#forget()
      throw new LoginRequiredError('log in first')
    }
    const { grant, scope } = auth
    const user = grant === 'password' ? { username: auth.username, password: auth.password } : {}
    return requestTokens(this.#connection, auth, { grant_type: grant, scope, ...user })
  }
}

/** Whether new tokens require a login of the user. */
const isInteractive = (auth: GrantAuth): auth is AuthorizationCodeAuth | RefreshTokenAuth =>
  auth.grant === 'authorization_code' || auth.grant === 'refresh_token'
