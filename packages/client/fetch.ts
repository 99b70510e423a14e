import { ClientError } from './errors.ts'
import type { Connection } from './http.ts'
import { withToken } from './operations.ts'
import type { TokenSource } from './tokens.ts'

/**
 * Makes a `fetch` that adds an access token, and sends a request once more with a new one if the service refuses that.
 * Rejects a request to any other address: it must not see the token.
 */
export const fetchWithToken =
  ({ url, fetch }: Connection, tokens: TokenSource): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    // Both as the platform writes addresses: absolute, and without `..`. A server may decode a slash after that.
    const { pathname } = new URL(request.url)
    if (!request.url.startsWith(new Request(`${url}/`).url) || /%(2f|5c)/i.test(pathname))
      throw new ClientError(`this fetch sends its token only to ${url}, not to ${request.url}`)
    let refused: Response | undefined
    return withToken(tokens, request.signal, async token => {
      // A body that nobody reads would hold its connection.
      await refused?.body?.cancel()
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${token}`)
      // A redirect would carry the token to another path, and the body to another address.
      refused = await fetch(request.clone(), { headers, redirect: 'error' })
      return refused
    })
  }
