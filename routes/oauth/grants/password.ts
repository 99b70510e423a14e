import { apiScopes } from '../../../accounts/rights.ts'
import { longestEmail } from '../../../db/accounts/email-key.ts'
import { invalidRequest } from '../../../errors.ts'
import type { Grant, TokenParameters } from '../grant.ts'
import { authenticateUser } from '../login/login.ts'
import { profileOf } from '../profile.ts'
import { grantedScopes } from '../scope.ts'
import { beginFamily } from '../token-family.ts'

/** Resource owner password credentials, RFC 6749 §4.3. The client knows the user, so it gets the profile with any scope. */
export const password: Grant = {
  grantType: 'password',
  async run(request) {
    const { db, client, parameters, settings } = request
    const email = accountEmail(parameters)
    const { password } = parameters
    if (!password) throw invalidRequest('password is missing')
    const scopes = grantedScopes(parameters.scope, client.scopes, apiScopes)
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
