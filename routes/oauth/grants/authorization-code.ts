import { hash } from 'node:crypto'
import { generateSecret, hashSecret, matchesSecret } from '../../../accounts/credentials/secrets.ts'
import { findConsent } from '../../../db/accounts/logins/consents.ts'
import { findCode, recordFamily, type StoredCode, useCode } from '../../../db/accounts/logins/one-time.ts'
import { insertFamily, revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import { findUnchangedUser } from '../../../db/accounts/users.ts'
import { grantAllowsResource } from '../../../domain/rights.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { invalidGrant, invalidRequest, invalidTarget } from '../../../runtime/errors.ts'
import { limitScopes } from '../parameters.ts'
import { type GrantResult, grantInTransaction, type RequestInTransaction } from './grant.ts'

/** Exchanges an authorization code for tokens, RFC 6749 §4.1.3, RFC 7636 §4.5. */
export const authorizationCodeGrant = grantInTransaction('code', exchangeCode)

/** Marks the code as used, whether or not the rest of the request is valid. */
async function exchangeCode(request: RequestInTransaction, given: string): Promise<GrantResult> {
  const { transaction, client } = request
  const code = await findCode(transaction, hashSecret(given))
  if (!code) throw invalidGrant('unknown code')
  // The client is checked first: a request of another client must not use up the code.
  if (code.client_id !== client.id) throw invalidGrant(`the code belongs to client ${code.client_id}`)
  if (!(await useCode(transaction, code.hash))) {
    // A code that is used twice may have been stolen, RFC 6749 §4.1.2.
    if (code.family_id !== null) await revokeFamilies(transaction, { id: code.family_id })
    throw invalidGrant('the code was used before, its tokens are revoked', 'token_reused')
  }
  checkCode(code, request)
  return grantCode(request, code)
}

function checkCode(code: StoredCode, { parameters, resource }: RequestInTransaction): void {
  if (code.time_expires <= timestamp()) throw invalidGrant('the code has expired', 'expired')
  if (parameters.redirect_uri !== code.redirect_uri) throw invalidGrant('redirect_uri differs')
  if (!grantAllowsResource(code.resource, resource))
    throw invalidTarget('the resource differs from that of the code')
  checkVerifier(parameters.code_verifier, code.challenge)
}

function checkVerifier(verifier: string | undefined, challenge: string): void {
  if (verifier === undefined) throw invalidGrant('code_verifier is missing')
  // RFC 7636 §4.1, §4.6.
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) throw invalidRequest('code_verifier is malformed')
  const computed = hash('sha256', verifier, 'base64url')
  if (!matchesSecret(computed, hashSecret(challenge))) throw invalidGrant('code_verifier is wrong')
}

/** Grants the scopes that the client may still have and whose consent the user has not revoked. */
async function grantCode(request: RequestInTransaction, code: StoredCode): Promise<GrantResult> {
  const { transaction, client, settings } = request
  const user = await findUnchangedUser(transaction, { id: code.user_id, tokenEpoch: code.token_epoch })
  if (!user) throw invalidGrant(`user ${code.user_id} has changed since the login`)
  const { resource } = code
  const parties = { userId: user.id, clientId: client.id }
  const codeScopes = code.scope.split(' ')
  const consented = client.firstParty ? codeScopes : await findConsent(transaction, parties)
  const inFamily = codeScopes.filter(scope => client.scopes.includes(scope) && consented.includes(scope))
  if (inFamily.length === 0) throw invalidGrant('no scope of the code is allowed any more')
  // The family keeps scopes that the role does not allow now, because the role may be raised.
  const scopes = limitScopes(inFamily, user.role)
  // Every accepted code has a family: a second use of the code ends its tokens.
  const refreshToken = generateSecret()
  const mayRefresh = client.grantTypes.includes('refresh_token')
  const family = {
    ...parties,
    grantType: 'authorization_code',
    scopes: inFamily,
    resource,
    expiresIn: mayRefresh ? settings.refreshTokenTtl : settings.accessTokenTtl
  }
  const sid = await insertFamily(transaction, family, hashSecret(refreshToken))
  await recordFamily(transaction, code.hash, sid)
  const login = { nonce: code.nonce, time: code.time_authenticated }
  return { user, scopes, resource, sid, login, ...(mayRefresh && { refreshToken }) }
}
