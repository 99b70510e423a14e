import { longestEmail } from '../../../db/accounts/email-key.ts'
import type { User } from '../../../db/accounts/users.ts'
import { invalidRequest } from '../../../errors.ts'
import { authenticateUser } from '../login.ts'
import { grantedScopes } from '../scope.ts'
import type { Grant, TokenParameters } from './grant.ts'
import { beginFamily } from './token-family.ts'

/** Resource owner password credentials, RFC 6749 §4.3. */
export const password: Grant = {
  grantType: 'password',
  async run(request) {
    const { db, client, parameters, settings } = request
    const email = accountEmail(parameters)
    const { password } = parameters
    if (!password) throw invalidRequest('password is missing')
    const scopes = grantedScopes(parameters.scope, client.scopes)
    const user = await authenticateUser(db, { email, password }, settings)
    const family = client.grantTypes.includes('refresh_token') && (await beginFamily(request, user, scopes))
    return { sub: user.id, epoch: user.tokenEpoch, scopes, profile: profileOf(user), ...family }
  }
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
