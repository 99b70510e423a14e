import { verifyPassword } from '../../../credentials/password.ts'
import { longestEmail } from '../../../db/accounts/email-key.ts'
import { findUserByEmail, type User } from '../../../db/accounts/users.ts'
import { invalidGrant, invalidRequest } from '../../../errors.ts'
import { grantedScopes } from '../scope.ts'
import type { Grant, TokenParameters } from './grant.ts'
import { loginLimit } from './login-limit.ts'
import { absentUserHash, renewHash } from './password-hash.ts'
import { beginFamily } from './token-family.ts'

/** Resource owner password credentials, RFC 6749 §4.3. */
export const password: Grant = {
  grantType: 'password',
  async run(request) {
    const { db, client, parameters, settings } = request
    const email = accountEmail(parameters)
    if (!parameters.password) throw invalidRequest('password is missing')
    const scopes = grantedScopes(parameters.scope, client.scopes)
    const limit = loginLimit(request, email)
    await limit.check()
    const user = await findUserByEmail(db, email)
    // The same work for an unknown user, so that the time reveals nothing.
    const passwordHash = user?.passwordHash ?? (await absentUserHash(db, email, settings))
    const matches = await verifyPassword(parameters.password, passwordHash)
    if (!user || !matches || user.disabled) {
      await limit.failed()
      throw invalidGrant(reasonOf(user, matches))
    }
    await limit.succeeded()
    await renewHash(db, user, parameters.password, settings)
    const family = client.grantTypes.includes('refresh_token') && (await beginFamily(request, user, scopes))
    return { sub: user.id, epoch: user.tokenEpoch, scopes, profile: profileOf(user), ...family }
  }
}

/** The reason for the log. To the caller all of these look the same. */
function reasonOf(user: User | undefined, matches: boolean): string {
  if (!user) return 'unknown user'
  return matches ? `user ${user.id} is disabled` : `wrong password of user ${user.id}`
}

/** Reads the e-mail address: `username` is the standard name, `email` an alias. */
function accountEmail({ username, email }: TokenParameters): string {
  if (username && email && username !== email) throw invalidRequest('username and email differ')
  const given = username ?? email
  if (!given) throw invalidRequest('username is missing')
  if (given.length > longestEmail) throw invalidRequest(`username has more than ${longestEmail} characters`)
  return given
}

/** The user's profile in a token response. */
export const profileOf = (user: User) => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  country: user.country,
  mobile: user.mobile,
  wallets: user.wallets
})
