import { apiScopes } from '../../../db/accounts/clients.ts'
import { longestEmail, tokenEpochOf } from '../../../db/accounts/users.ts'
import { transact } from '../../../db/transaction.ts'
import { invalidGrant, invalidRequest } from '../../../errors.ts'
import { createFamily, type Grant, grantedScopes, profileOf } from '../grant.ts'
import { authenticateUser } from '../login/login.ts'
import type { Form } from '../protocol.ts'

/** Resource owner password credentials, RFC 6749 §4.3. The client knows the user, so it gets the profile with any scope. */
export const password: Grant = async request => {
  const { app, client, parameters, settings } = request
  const email = readEmail(parameters)
  const { password } = parameters
  if (!password) throw invalidRequest('password is missing')
  const scopes = grantedScopes(parameters.scope, client.scopes, apiScopes)
  const user = await authenticateUser(app, settings, { email, password })
  const granted = { sub: user.id, epoch: user.tokenEpoch, scopes, profile: profileOf(user) }
  if (!client.grantTypes.includes('refresh_token')) return granted
  const family = await transact(request.db, async db => {
    // A new password and disabling revoke only the families that exist by then.
    if ((await tokenEpochOf(db, user.id)) !== user.tokenEpoch)
      throw invalidGrant(`user ${user.id} has changed since`)
    return createFamily({ ...request, db }, user.id, scopes)
  })
  return { ...granted, ...family }
}

/** Reads the e-mail address: `username` is the standard name, `email` an alias. */
function readEmail({ username, email }: Form): string {
  if (username && email && username !== email) throw invalidRequest('username and email differ')
  const given = username ?? email
  if (!given) throw invalidRequest('username is missing')
  if (given.length > longestEmail) throw invalidRequest(`username has more than ${longestEmail} characters`)
  return given
}
