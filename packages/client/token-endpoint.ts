import type { GrantAuth, Tokens } from './auth.ts'
import { OAuthError, ResponseError } from './errors.ts'
import { type Connection, exchange, type Reply } from './http.ts'
import { withRetry } from './retry.ts'

/** Parameters of a token request; undefined ones are not sent. */
export type TokenParameters = Record<string, string | undefined>

/** Asks the token endpoint. Throws {@link OAuthError} if it refuses. */
export async function requestTokens(
  connection: Connection,
  auth: GrantAuth,
  parameters: TokenParameters
): Promise<Tokens> {
  // From before the request: the token is never taken for younger than it is.
  let issuedAt = 0
  const { body } = await postForm(connection, auth, '/oauth/token', parameters, () => {
    issuedAt = connection.clock.now()
  })
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    issuedAt,
    expiresAt: issuedAt + (body.expires_in ?? Number.POSITIVE_INFINITY) * 1000,
    response: body
  }
}

/** Sends a form with the client's identity, RFC 6749 §2.3; retries while the service is not available. */
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
    const reply = await exchange(connection, path, { method: 'POST', headers, body }, signal)
    if (reply.status === 200) return reply
    const { error, error_description: description } = reply.body ?? {}
    throw error
      ? new OAuthError(error, description, reply)
      : new ResponseError(`${path} responded ${reply.status}`, reply)
  }, connection)
}

/** Form-encoded, then base64, RFC 6749 §2.3.1. */
const basic = (id: string, secret: string) =>
  `Basic ${btoa([id, secret].map(text => new URLSearchParams({ '': text }).toString().slice(1)).join(':'))}`
