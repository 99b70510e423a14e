import type { AuthorizationCodeAuth, LoginStorage } from './auth.ts'
import { ClientError, OAuthError } from './errors.ts'
import type { Connection } from './http.ts'
import { base64url, randomText } from './random.ts'
import { requestTokens } from './token-endpoint.ts'
import type { GrantTokens } from './tokens.ts'

// Globals of a web page, which the types of this build do not include.
declare const location: { href: string; assign(url: string): void }
declare const history: { state: unknown; replaceState(state: unknown, unused: string, url: URL): void }

/** Additional parameters of the authorization request, such as `prompt: 'login'`. */
export type LoginParameters = Record<string, string>

/** The login with an authorization code and PKCE: RFC 6749 §4.1, RFC 7636, RFC 9207. */
export class Login {
  readonly #connection: Connection
  readonly #auth: AuthorizationCodeAuth
  readonly #tokens: GrantTokens
  #finished: Promise<boolean> | undefined

  constructor(connection: Connection, auth: AuthorizationCodeAuth, tokens: GrantTokens) {
    this.#connection = connection
    this.#auth = auth
    this.#tokens = tokens
  }

  /** Opens the login page of the service; returns its URL. */
  async begin(parameters: LoginParameters): Promise<string> {
    const { clientId, redirectUri, scope, navigate = (url: string) => location.assign(url) } = this.#auth
    const [state, verifier] = [randomText(), randomText()]
    // Available only over HTTPS and on the local machine.
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    this.#storage.setItem(keyOf(state), verifier)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(scope !== undefined && { scope }),
      state,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
      ...parameters
    })
    const url = `${this.#connection.url}/oauth/authorize?${query}`
    navigate(url)
    return url
  }

  /** Completes the login if its redirect opened the page; returns false otherwise. */
  finish(url?: string): Promise<boolean> {
    if (url !== undefined) return this.#finish(url)
    // Frameworks may call this twice.
    this.#finished ??= this.#finish(location.href, true).finally(() => {
      this.#finished = undefined
    })
    return this.#finished
  }

  async #finish(url: string, isPage = false): Promise<boolean> {
    const answer = new URL(url).searchParams
    const state = answer.get('state')
    if (state === null || !(answer.has('code') || answer.has('error'))) return false
    if (isPage) removeAnswer(url)
    const verifier = this.#storage.getItem(keyOf(state))
    // The verifier works only once, even if the login fails.
    this.#storage.removeItem(keyOf(state))
    if (verifier === null) throw new ClientError('this login was not begun here')
    const { issuer = this.#connection.url, redirectUri } = this.#auth
    if (answer.get('iss') !== issuer) throw new ClientError(`this login is not from ${issuer}`)
    const error = answer.get('error')
    if (error !== null) throw new OAuthError(error, answer.get('error_description'), { status: 302 })
    const parameters = {
      grant_type: 'authorization_code',
      code: answer.get('code') as string,
      redirect_uri: redirectUri,
      code_verifier: verifier
    }
    await this.#tokens.obtain(() => requestTokens(this.#connection, this.#auth, parameters))
    return true
  }

  get #storage(): LoginStorage {
    return this.#auth.storage ?? sessionStorage
  }
}

const keyOf = (state: string): string => `product-templates:${state}`

/** Removes the code from the address and the browser history. */
function removeAnswer(url: string): void {
  const clean = new URL(url)
  for (const name of ['code', 'state', 'iss', 'error', 'error_description']) clean.searchParams.delete(name)
  history.replaceState(history.state, '', clean)
}
