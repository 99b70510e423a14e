import type { Auth } from './auth.ts'
import { type ChangeEvent, type ChangesOptions, followChanges } from './changes.ts'
import { type Clock, systemClock } from './clock.ts'
import type { TypedDocument } from './document.ts'
import { ClientError } from './errors.ts'
import { fetchWithToken } from './fetch.ts'
import type { Connection } from './http.ts'
import { Login, type LoginParameters } from './login.ts'
import { type RequestOptions, sendOperation } from './operations.ts'
import { readPages } from './pages.ts'
import { readPicture, storePicture, type UploadedPicture } from './pictures.ts'
import {
  type AnySelection,
  type Contract,
  eachProduct,
  type Product,
  type ProductOptions,
  type ProductPage,
  type ProductsOptions,
  readProduct,
  readProducts
} from './products.ts'
import { type RetryOptions, retryDefaults } from './retry.ts'
import { GrantTokens, givenTokens, type TokenSource } from './tokens.ts'

export interface ClientOptions {
  /** The address of the service with its prefix, such as `https://templates.example`. */
  url: string
  auth: Auth
  /** Milliseconds to wait for a response. Default: 30,000. */
  timeout?: number
  retry?: RetryOptions
  /** Default: the global `fetch`. */
  fetch?: typeof fetch
  /** For tests. */
  clock?: Clock
}

/** The variables, optional if none is required, and the options. */
type Rest<Variables> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: RequestOptions]
    : [variables: Variables, options?: RequestOptions]

/** Creates a client of the service. It connects only for requests and need not be closed. */
export const createClient = (options: ClientOptions): Client => new Client(options)

/** A client of the service, created by {@link createClient}. */
export class Client {
  /**
   * A `fetch` for other libraries, such as Apollo Client. It adds an access token. If the service refuses the token, it
   * repeats the request once with a new one. It works without a reference to the client. It has no other retries and no
   * timeout, and rejects requests to any other address.
   */
  readonly fetch: typeof fetch
  readonly #connection: Connection
  readonly #tokens: TokenSource
  readonly #login: Login | undefined

  constructor({ url, auth, timeout = 30_000, retry, fetch: given, clock = systemClock }: ClientOptions) {
    this.#connection = {
      url: url.replace(/\/+$/, ''),
      fetch: given ?? ((input, init) => fetch(input, init)),
      clock,
      timeout,
      retry: { ...retryDefaults, ...retry }
    }
    if (typeof auth !== 'object') this.#tokens = givenTokens(auth)
    else {
      const tokens = new GrantTokens(this.#connection, auth)
      this.#tokens = tokens
      if (auth.grant === 'authorization_code') this.#login = new Login(this.#connection, auth, tokens)
    }
    this.fetch = fetchWithToken(this.#connection, this.#tokens)
  }

  /** Sends a query or a mutation and returns `data`. Throws {@link GraphQLResponseError} if the response has errors. */
  request<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...rest: Rest<Variables>
  ): Promise<Result>
  request<Result = unknown>(
    document: string,
    variables?: Record<string, unknown>,
    options?: RequestOptions
  ): Promise<Result>
  request(document: string | TypedDocument, variables?: unknown, options?: RequestOptions): Promise<unknown> {
    return sendOperation(this.#connection, this.#tokens, document, variables, options)
  }

  /** Reads a Relay connection page by page. The document needs `$after` and `pageInfo { hasNextPage endCursor }`. */
  pages<Result, Variables extends { after?: string | null | undefined }>(
    document: TypedDocument<Result, Variables>,
    ...rest: Rest<Variables>
  ): AsyncGenerator<Result, void, undefined>
  pages<Result = unknown>(
    document: string,
    variables?: Record<string, unknown>,
    options?: RequestOptions
  ): AsyncGenerator<Result, void, undefined>
  pages(document: string | TypedDocument, variables: { after?: string } = {}, options: RequestOptions = {}) {
    const read = (after: string | undefined) =>
      sendOperation(this.#connection, this.#tokens, document, { ...variables, after }, options)
    return readPages(read, variables.after)
  }

  /** Reads a template; null if it does not exist. */
  product<const Selection extends AnySelection = Contract>(
    id: number,
    options?: ProductOptions<Selection>
  ): Promise<Product<Selection> | null> {
    return readProduct(this.#send, id, options)
  }

  /** Reads a page of templates. */
  products<const Selection extends AnySelection = Contract>(
    options?: ProductsOptions<Selection>
  ): Promise<ProductPage<Selection>> {
    return readProducts(this.#send, options)
  }

  /** Reads all matching templates page by page. Default order: by id. */
  eachProduct<const Selection extends AnySelection = Contract>(
    options?: ProductsOptions<Selection>
  ): AsyncGenerator<Product<Selection>, void, undefined> {
    return eachProduct(this.#send, options)
  }

  /** Follows the changes of all templates. Each change comes exactly once, even if the service restarts. */
  changes(options?: ChangesOptions): AsyncGenerator<ChangeEvent, void, undefined> {
    return followChanges(this.#connection, this.#tokens, options)
  }

  /** Reads the thumbnail of a link, such as `image`; undefined if the service has none. */
  picture(link: string, options?: Pick<RequestOptions, 'signal'>): Promise<Blob | undefined> {
    return readPicture(this.#connection, this.#tokens, link, options)
  }

  /** Uploads a picture of at most 10 MiB: PNG, JPEG, GIF, WebP or AVIF. */
  uploadPicture(picture: Blob, options?: Pick<RequestOptions, 'signal'>): Promise<UploadedPicture> {
    return storePicture(this.#connection, this.#tokens, picture, options)
  }

  /**
   * Returns a valid access token; requests a new one if needed. Call it before each use, because the client renews
   * tokens. Throws {@link LoginRequiredError} if the user must log in.
   */
  async token({ signal }: Pick<RequestOptions, 'signal'> = {}): Promise<string> {
    return this.#tokens.get(signal ?? new AbortController().signal)
  }

  /** Opens the login page of the service. Returns its URL, for programs that open a browser themselves. */
  async login(parameters: LoginParameters = {}): Promise<string> {
    return this.#interactive().begin(parameters)
  }

  /** Completes a login on the page of `redirectUri`; false if the page was not opened by a login. */
  async handleRedirect(url?: string): Promise<boolean> {
    return this.#interactive().finish(url)
  }

  /** Revokes the tokens of a grant and forgets them. */
  async logout(): Promise<void> {
    if (this.#tokens instanceof GrantTokens) await this.#tokens.revoke()
  }

  #send = (document: string, variables: object, options: RequestOptions) =>
    sendOperation(this.#connection, this.#tokens, document, variables, options)

  #interactive(): Login {
    if (!this.#login) throw new ClientError('only the grant authorization_code logs in')
    return this.#login
  }
}
