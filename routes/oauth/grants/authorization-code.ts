import { matchesChallenge, verifierPattern } from '../../../credentials/pkce.ts'
import { hashSecret } from '../../../credentials/secret.ts'
import { findCode, noteFamily, type StoredCode, useCode } from '../../../db/accounts/authorization-codes.ts'
import { findConsent } from '../../../db/accounts/consents.ts'
import { revokeFamily } from '../../../db/accounts/refresh-tokens.ts'
import { findUserById, type User } from '../../../db/accounts/users.ts'
import { transact } from '../../../db/transaction.ts'
import { invalidGrant, invalidRequest, PublicError } from '../../../errors.ts'
import type { Grant, GrantRequest, TokenParameters } from '../grant.ts'
import { allowedProfile } from '../profile.ts'
import { type BegunFamily, createFamily } from '../token-family.ts'

/** Exchanges an authorization code for tokens, RFC 6749 §4.1.3, RFC 7636 §4.5. */
export const authorizationCode: Grant = {
  grantType: 'authorization_code',
  async run(request) {
    const outcome = await transact(request.db, db => exchange({ ...request, db }))
    // Thrown outside the transaction; inside, it would roll back that the code is used up.
    if (outcome instanceof PublicError) throw outcome
    const { user, scopes, sid, refreshToken } = outcome
    const mayRefresh = request.client.grantTypes.includes('refresh_token')
    // Every code has a family: a second use of the code ends its tokens.
    return {
      sub: user.id,
      epoch: user.tokenEpoch,
      scopes,
      profile: allowedProfile(user, scopes),
      sid,
      ...(mayRefresh && { refreshToken })
    }
  }
}

type Exchanged = BegunFamily & { user: User; scopes: string[] }

/** Uses the code up, whether or not the rest of the request is right. */
async function exchange(request: GrantRequest): Promise<Exchanged | PublicError> {
  const { db, client, parameters } = request
  if (!parameters.code) return invalidRequest('code is missing')
  const code = await findCode(db, hashSecret(parameters.code))
  if (!code) return invalidGrant('unknown code')
  // First of all: another client's attempt must not use it up.
  if (code.clientId !== client.id) return invalidGrant(`a code of client ${code.clientId}`)
  if (!(await useCode(db, code.hash))) {
    // RFC 6749 §4.1.2: it may have been stolen.
    if (code.familyId !== undefined) await revokeFamily(db, code.familyId)
    return invalidGrant('the code was used before, its tokens are revoked')
  }
  const problem = findProblem(code, parameters)
  if (problem) return problem
  const user = await findUserById(db, code.userId)
  if (!user || user.disabled || user.tokenEpoch !== code.epoch)
    return invalidGrant(`user ${code.userId} has changed since`)
  const scopes = await findAllowed(request, code)
  if (scopes.length === 0) return invalidGrant('no scope of the code is allowed any more')
  const family = await createFamily(request, user.id, scopes)
  await noteFamily(db, code.hash, family.sid)
  return { user, scopes, ...family }
}

/** The scopes of a code that the client may still have, and that the user has not taken back since. */
async function findAllowed({ db, client }: GrantRequest, { userId, scopes }: StoredCode): Promise<string[]> {
  const given = client.firstParty ? scopes : await findConsent(db, { userId, clientId: client.id })
  return scopes.filter(scope => client.scopes.includes(scope) && given.includes(scope))
}

function findProblem(code: StoredCode, parameters: TokenParameters): PublicError | undefined {
  const { redirect_uri: redirectUri, code_verifier: verifier } = parameters
  if (code.expired) return invalidGrant('the code has expired')
  if (redirectUri !== code.redirectUri) return invalidGrant('redirect_uri differs')
  if (!verifier) return invalidGrant('code_verifier is missing')
  if (!verifierPattern.test(verifier)) return invalidRequest('code_verifier is malformed')
  return matchesChallenge(verifier, code.challenge) ? undefined : invalidGrant('code_verifier is wrong')
}
