import { createHash } from 'node:crypto'
import { generateSecret, hashSecret, matchesSecret } from '../../../credentials/secrets.ts'
import { findConsent } from '../../../db/accounts/logins/consents.ts'
import { findCode, recordFamily, type StoredCode, useCode } from '../../../db/accounts/logins/one-time.ts'
import { insertFamily, revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import { covers } from '../../../db/accounts/rights.ts'
import { findUnchangedUser } from '../../../db/accounts/users.ts'
import { timestamp } from '../../../db/timestamp.ts'
import { transact } from '../../../db/transaction.ts'
import { invalidGrant, invalidRequest, invalidTarget, PublicError } from '../../../errors.ts'
import { limitScopes } from '../parameters.ts'
import type { Grant, GrantRequest, RequestInTransaction } from '../token.ts'

/** Exchanges an authorization code for tokens, RFC 6749 §4.1.3, RFC 7636 §4.5. */
export const authorizationCode: Grant = async request => {
  const given = request.parameters.code
  if (!given) throw invalidRequest('code is missing')
  const granted = await transact(request.db, db => exchangeCode({ ...request, db }, given))
  if (granted instanceof PublicError) return granted
  // Only now, because the code is used up even if the role allows none of its scopes.
  return { ...granted, scopes: limitScopes(granted.scopes, granted.user.role) }
}

/** Marks the code as used, whether or not the rest of the request is valid. */
async function exchangeCode(request: RequestInTransaction, given: string) {
  const { db, client } = request
  const code = await findCode(db, hashSecret(given))
  if (!code) return invalidGrant('unknown code')
  // Checked first: a request of another client must not use up the code.
  if (code.client_id !== client.id) return invalidGrant(`a code of client ${code.client_id}`)
  if (!(await useCode(db, code.hash))) {
    // A code that is used twice may have been stolen, RFC 6749 §4.1.2.
    if (code.family_id !== null) await revokeFamilies(db, { id: code.family_id })
    return invalidGrant('the code was used before, its tokens are revoked', 'token_reused')
  }
  return findProblem(code, request) ?? grantCode(request, code)
}

function findProblem(code: StoredCode, { parameters, resource }: GrantRequest): PublicError | undefined {
  if (code.time_expires <= timestamp()) return invalidGrant('the code has expired', 'expired')
  if (parameters.redirect_uri !== code.redirect_uri) return invalidGrant('redirect_uri differs')
  if (!covers(code.resource, resource)) return invalidTarget('not that of the code')
  return findVerifierProblem(parameters.code_verifier, code.challenge)
}

function findVerifierProblem(verifier: string | undefined, challenge: string): PublicError | undefined {
  if (verifier === undefined) return invalidGrant('code_verifier is missing')
  // RFC 7636 §4.1, §4.6.
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return invalidRequest('code_verifier is malformed')
  const computed = createHash('sha256').update(verifier).digest('base64url')
  return matchesSecret(computed, hashSecret(challenge)) ? undefined : invalidGrant('code_verifier is wrong')
}

/** Grants the scopes that the client may still have and whose consent the user has not revoked. */
async function grantCode(request: RequestInTransaction, code: StoredCode) {
  const { db, client, settings } = request
  const user = await findUnchangedUser(db, { id: code.user_id, tokenEpoch: code.token_epoch })
  if (!user) return invalidGrant(`user ${code.user_id} has changed since`)
  const { resource } = code
  const parties = { userId: user.id, clientId: client.id }
  const granted = code.scope.split(' ')
  const consented = client.firstParty ? granted : await findConsent(db, parties)
  const scopes = granted.filter(scope => client.scopes.includes(scope) && consented.includes(scope))
  if (scopes.length === 0) return invalidGrant('no scope of the code is allowed any more')
  // Every code has a family: a second use of the code ends its tokens.
  const refreshToken = generateSecret()
  const family = {
    ...parties,
    grantType: 'authorization_code',
    scopes,
    resource,
    expiresIn: settings.refreshTokenTtl
  }
  const sid = await insertFamily(db, family, hashSecret(refreshToken))
  await recordFamily(db, code.hash, sid)
  const login = { nonce: code.nonce, time: code.time_authenticated }
  const mayRefresh = client.grantTypes.includes('refresh_token')
  return { user, scopes, resource, sid, login, ...(mayRefresh && { refreshToken }) }
}
