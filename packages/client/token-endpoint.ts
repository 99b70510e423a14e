import type { GrantAuth, Tokens } from './auth.ts'
import { OAuthError, ResponseError } from './errors.ts'
import { type Connection, exchange, type Reply, readJson } from './http.ts'
import { withRetry } from './retry.ts'

/** The parameters of a token request. Undefined ones are omitted. */
type TokenParameters = Record<string, string | undefined>

/** Requests tokens. Throws {@link OAuthError} if the service refuses. */
export async function requestTokens(
  connection: Connection,
  auth: GrantAuth,
  parameters: TokenParameters
): Promise<Tokens> {
  // Measured before the request, so that the token is never considered younger than it is.
  let issuedAt = 0
  const reply = await postForm(connection, auth, '/oauth/token', parameters, () => {
    issuedAt = connection.clock.now()
  })
  const { body } = reply
  if (typeof body?.access_token !== 'string')
    throw new ResponseError('the response has no access token', reply)
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    issuedAt,
    expiresAt: issuedAt + (body.expires_in ?? Number.POSITIVE_INFINITY) * 1000,
    response: body
  }
}

/** Sends a form with the client's credentials (RFC 6749 §2.3). Retries while the service is unavailable. */
export const postForm = (
  connection: Connection,
  { clientId, clientSecret }: GrantAuth,
  path: string,
  parameters: TokenParameters,
  onAttempt = () => {}
): Promise<Reply> => {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(clientSecret !== undefined && { authorization: basic(clientId, clientSecret) })
  }
  const identity = clientSecret === undefined ? { client_id: clientId } : {}
  const present = Object.entries({ ...parameters, ...identity }).filter(([, value]) => value !== undefined)
  const body = new URLSearchParams(present as [string, string][]).toString()
  return withRetry(async signal => {
    onAttempt()
    const reply = await exchange(connection, path, { method: 'POST', headers, body }, signal, readJson)
    if (reply.status === 200) return reply
    const { error, error_description: description } = reply.body ?? {}
    throw error
      ? new OAuthError(error, description, reply)
      : new ResponseError(`${path} responded ${reply.status}`, reply)
  }, connection)
}

/** HTTP Basic with form-encoded credentials (RFC 6749 §2.3.1). */
const basic = (id: string, secret: string) =>
  `Basic ${btoa([id, secret].map(text => new URLSearchParams({ '': text }).toString().slice(1)).join(':'))}`
