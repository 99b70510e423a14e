import type { FastifyInstance, FastifyRequest } from 'fastify'
import { splitRights } from '../../accounts/credentials/verified-token.ts'
import { readRule } from '../../db/templates/rule.ts'
import { type Authenticate, HostCaller } from '../../options/authenticate.ts'
import { insufficientScope, invalidToken, missingToken } from '../../runtime/errors.ts'
import { checkArgument } from '../../runtime/validator.ts'
import { toPublicError } from '../error-handler.ts'
import type { Authenticator } from './bearer-auth.ts'
import type { VerifiedToken } from './tokens.ts'

/** The `client_id` of all callers that a host has authenticated. */
const hostClient = 'host'

/** Authenticates callers by the host. Each check asks the host, so an ended session is refused at once. */
export function makeHostAuthenticator(
  { productTokens: tokens }: FastifyInstance,
  authenticate: Authenticate
): Authenticator {
  const askHost = async (request: FastifyRequest) => {
    try {
      return await authenticate(request)
    } catch (error) {
      throw toTokenError(error, request)
    }
  }
  const verify = async (request: FastifyRequest): Promise<VerifiedToken> => {
    const found = await askHost(request)
    if (found == null) throw missingToken()
    const { subject, scopes, name = null, where } = checkArgument('authenticate', HostCaller, found)
    return {
      iss: tokens.issuer(),
      sub: subject,
      aud: tokens.issuer(),
      client_id: hostClient,
      iat: 0,
      exp: Number.POSITIVE_INFINITY,
      jti: `${hostClient} ${subject}`,
      ...splitRights(scopes),
      role: null,
      rule: where && readRule(where, 'authenticate: where'),
      name
    }
  }
  return { verifyFromCache: verify, verify }
}

/** Converts an error of the host that refuses the sender to the error of a refused token. */
function toTokenError(error: unknown, { headers }: FastifyRequest): unknown {
  const { statusCode, detail } = toPublicError(error)
  if (statusCode === 401)
    return headers.authorization === undefined ? missingToken(detail) : invalidToken(detail)
  return statusCode === 403 ? insufficientScope(detail) : error
}
