import { generateSecret, hashSecret } from '../../../accounts/credentials/secrets.ts'
import { authenticateUser } from '../../../accounts/login.ts'
import { findStoredClient } from '../../../db/accounts/clients.ts'
import { insertFamily } from '../../../db/accounts/refresh-tokens.ts'
import { findUnchangedUser, maxEmailLength } from '../../../db/accounts/users.ts'
import { transact } from '../../../db/transaction.ts'
import { apiScopes } from '../../../domain/rights.ts'
import { hasMoreCharacters } from '../../../runtime/characters.ts'
import { invalidClient, invalidGrant, invalidRequest } from '../../../runtime/errors.ts'
import { type Form, limitScopes, selectScopes } from '../parameters.ts'
import type { Grant } from './grant.ts'

/** Resource owner password credentials, RFC 6749 §4.3. */
export const passwordGrant: Grant = async request => {
  const { app, db, client, parameters, resource, settings } = request
  const email = readEmail(parameters)
  const { password } = parameters
  if (!password) throw invalidRequest('password is missing')
  const scopes = selectScopes(parameters.scope, client.scopes, apiScopes)
  const user = await app.productMetrics.countLogin(authenticateUser(db, settings, { email, password }))
  // The scopes are limited here. The family keeps all of them, because the user may get a higher role.
  const granted = { user, scopes: limitScopes(scopes, user.role) }
  if (!client.grantTypes.includes('refresh_token')) return granted
  const refreshToken = generateSecret()
  const sid = await transact(db, async transaction => {
    // A new password, or disabling the user, revokes only the families that exist at that time.
    if (!(await findUnchangedUser(transaction, user)))
      throw invalidGrant(`user ${user.id} has changed during the login`)
    // The client may have been removed or changed, too.
    if ((await findStoredClient(transaction, client.id))?.tokenEpoch !== client.tokenEpoch)
      throw invalidClient(`client ${client.id} has changed during the login`)
    const parties = { clientId: client.id, userId: user.id, resource }
    const family = { ...parties, grantType: 'password', scopes, expiresIn: settings.refreshTokenTtl }
    return insertFamily(transaction, family, hashSecret(refreshToken))
  })
  return { ...granted, sid, refreshToken }
}

/** Reads the e-mail address: `username` is the standard name, `email` an alias. */
function readEmail({ username, email }: Form): string {
  if (username && email && username !== email) throw invalidRequest('username and email differ')
  const given = username ?? email
  if (!given) throw invalidRequest('username is missing')
  if (hasMoreCharacters(given, maxEmailLength))
    throw invalidRequest(`username has more than ${maxEmailLength} characters`)
  return given
}
