import { ClientError } from './errors.ts'
import type { Connection } from './http.ts'
import { withToken } from './operations.ts'
import type { TokenSource } from './tokens.ts'

/**
 * Returns a `fetch` that adds an access token. If the service refuses the token, it repeats the request once with a new
 * one. It rejects requests to any other address, because the token must not leave the service.
 */
export const fetchWithToken =
  ({ url, fetch }: Connection, tokens: TokenSource): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    // Compares addresses as the platform normalizes them: absolute and without `..`. An encoded slash would escape this
    // check, because servers may decode it later.
    const { pathname } = new URL(request.url)
    if (!request.url.startsWith(new Request(`${url}/`).url) || /%(2f|5c)/i.test(pathname))
      throw new ClientError(`this fetch sends its token only to ${url}, not to ${request.url}`)
    let refused: Response | undefined
    return withToken(tokens, request.signal, async token => {
      // An unread body would block its connection.
      await refused?.body?.cancel()
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${token}`)
      // A redirect could send the token to another path, or the body to another address.
      refused = await fetch(request.clone(), { headers, redirect: 'error' })
      return refused
    })
  }
