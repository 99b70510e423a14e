import { hashSecret } from '../../credentials/secret.ts'
import type { Client } from '../../db/accounts/clients.ts'
import { findRefreshToken } from '../../db/accounts/refresh-tokens.ts'
import { endOfToken } from '../../db/accounts/token-status.ts'
import type { Db } from '../../db/schema.ts'
import { timestamp } from '../../db/timestamp.ts'
import { invalidRequest, orUndefined } from '../../errors.ts'
import type { Tokens } from '../../plugins/tokens.ts'
import type { Route } from '../route.ts'
import { oauthParameters } from './protocol.ts'

/** Members of an introspection response, RFC 7662 §2.2. */
interface Introspection extends Record<string, unknown> {
  client_id: string
}

const inactive = { active: false }

/** Token introspection, RFC 7662. Without permission, another client's token looks inactive. */
export const introspect: Route = app => ({
  preValidation: app.productClientAuth,
  handler: async request => {
    const client = request.productClient as Client
    const { token } = oauthParameters(request)
    if (!token) throw invalidRequest('token is missing')
    const found =
      (await describeAccessToken(app.productTokens, token)) ??
      (await describeRefreshToken(app.productStore, token))
    if (!found || (found.client_id !== client.id && !client.mayIntrospect)) return inactive
    return { active: true, ...found }
  }
})

async function describeAccessToken(tokens: Tokens, token: string): Promise<Introspection | undefined> {
  const claims = await orUndefined(tokens.verify(token))
  if (!claims) return undefined
  const { sid: _sid, epoch: _epoch, client_epoch: _clientEpoch, external: _external, ...rest } = claims
  return { ...rest, token_type: 'bearer' }
}

async function describeRefreshToken(db: Db, token: string): Promise<Introspection | undefined> {
  const found = await findRefreshToken(db, hashSecret(token))
  if (!found || found.timeUsed !== null || found.family.timeExpires <= timestamp()) return undefined
  const { id: sid, clientId, userId: sub, scopes, timeExpires } = found.family
  if ((await endOfToken(db, { jti: '', sid, user: { id: sub }, client: { id: clientId } })) !== undefined)
    return undefined
  return {
    scope: scopes.join(' '),
    client_id: clientId,
    sub,
    exp: Math.floor(Date.parse(timeExpires) / 1000)
  }
}
