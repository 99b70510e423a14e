import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { apiScopes } from '../db/accounts/clients.ts'
import { rights } from '../db/accounts/roles.ts'
import { missingToken } from '../errors.ts'
import { checkArgument } from '../validator.ts'
import type { Callers } from './bearer-auth.ts'
import type { VerifiedToken } from './tokens.ts'

/** Characters of a subject and of a name. */
const maxLength = 255

/** Who sends a request, as the host knows it. */
const HostCaller = Type.Object(
  {
    /** Recorded in revisions. */
    subject: Type.String({ minLength: 1, maxLength, description: `a text of 1 to ${maxLength} characters` }),
    scopes: Type.Array(Type.Enum([...rights]), { description: `an array of some of ${rights.join(', ')}` }),
    /** Shown in the history of templates. */
    name: Type.Optional(Type.String({ maxLength, description: `a text of at most ${maxLength} characters` }))
  },
  { additionalProperties: false }
)
export type HostCaller = Static<typeof HostCaller>

/** Tells who sends a request; undefined: nobody whom the host knows, so the response is 401. */
export type Authenticate = (
  request: FastifyRequest
) => HostCaller | undefined | Promise<HostCaller | undefined>

/** `client_id` of everyone whom a host has authenticated. */
const hostClient = 'host'

/** Asks the host for each check, so that a session that has ended is refused at once. */
export function callersOfHost(
  { productTokens: tokens }: FastifyInstance,
  authenticate: Authenticate
): Callers {
  const verify = async (request: FastifyRequest): Promise<VerifiedToken> => {
    const found = await authenticate(request)
    if (found === undefined) throw missingToken()
    const { subject, scopes, name = null } = checkArgument('authenticate', HostCaller, found)
    return {
      iss: tokens.issuer(),
      sub: subject,
      aud: tokens.issuer(),
      client_id: hostClient,
      iat: 0,
      exp: Number.POSITIVE_INFINITY,
      jti: `${hostClient} ${subject}`,
      scope: apiScopes.filter(scope => scopes.includes(scope)).join(' '),
      mayPublish: scopes.includes('publish'),
      role: null,
      name
    }
  }
  return { recognize: verify, verify }
}
