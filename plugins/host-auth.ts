import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toRights } from '../credentials/verified-token.ts'
import { readRule } from '../db/templates/rule.ts'
import { missingToken } from '../errors.ts'
import { type Authenticate, HostCaller } from '../options/authenticate.ts'
import { checkArgument } from '../validator.ts'
import type { Callers } from './bearer-auth.ts'
import type { VerifiedToken } from './tokens.ts'

/** The `client_id` of all callers that a host has authenticated. */
const hostClient = 'host'

/** Authenticates callers by the host. Each check asks the host, so an ended session is refused at once. */
export function makeHostCallers(
  { productTokens: tokens }: FastifyInstance,
  authenticate: Authenticate
): Callers {
  const verify = async (request: FastifyRequest): Promise<VerifiedToken> => {
    const found = await authenticate(request)
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
      ...toRights(scopes),
      role: null,
      rule: where && readRule(where, 'authenticate: where'),
      name
    }
  }
  return { recognize: verify, verify }
}
