import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import {
  formatCost,
  generateSecret,
  hashPassword,
  hashSecret,
  makeUnmatchableHash,
  readCost,
  verifyPassword
} from '../../../credentials/secrets.ts'
import { countAttempt, forgetAttempts, readAttempts } from '../../../db/accounts/attempts.ts'
import { apiScopes } from '../../../db/accounts/clients.ts'
import { insertFamily } from '../../../db/accounts/refresh-tokens.ts'
import {
  emailKey,
  findPasswordHash,
  findUserByEmail,
  longestEmail,
  replacePasswordHash,
  type StoredUser,
  tokenEpochOf
} from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import { invalidGrant, invalidRequest, PublicError, publicError, tooManyRequests } from '../../../errors.ts'
import type { LoginOutcome } from '../../../metrics/metrics.ts'
import type { ServiceSettings } from '../../../options.ts'
import { type Form, selectScopes } from '../protocol.ts'
import type { Grant } from '../token.ts'

/** Resource owner password credentials, RFC 6749 §4.3. The client knows the user, so it gets the profile with any scope. */
export const password: Grant = async request => {
  const { app, client, parameters, resource, settings } = request
  const email = readEmail(parameters)
  const { password } = parameters
  if (!password) throw invalidRequest('password is missing')
  const scopes = selectScopes(parameters.scope, client.scopes, apiScopes)
  const user = await authenticateUser(app, settings, { email, password })
  const granted = { user, scopes, profile: true }
  if (!client.grantTypes.includes('refresh_token')) return granted
  const refreshToken = generateSecret()
  const sid = await transact(request.db, async db => {
    // A new password, or disabling the user, revokes only the families that exist at that time.
    if ((await tokenEpochOf(db, user.id)) !== user.tokenEpoch)
      throw invalidGrant(`user ${user.id} has changed since`)
    const parties = { clientId: client.id, userId: user.id, resource }
    const family = { ...parties, grantType: 'password', scopes, expiresIn: settings.refreshTokenTtl }
    return insertFamily(db, family, hashSecret(refreshToken))
  })
  return { ...granted, sid, refreshToken }
}

/** Reads the e-mail address: `username` is the standard name, `email` an alias. */
function readEmail({ username, email }: Form): string {
  if (username && email && username !== email) throw invalidRequest('username and email differ')
  const given = username ?? email
  if (!given) throw invalidRequest('username is missing')
  if (given.length > longestEmail) throw invalidRequest(`username has more than ${longestEmail} characters`)
  return given
}

interface Login {
  email: string
  password: string
}

/**
 * Authenticates a user, and limits failed logins. Throws the same `invalid_grant`, after the same work, for an unknown
 * user, a disabled user and a wrong password; 429 beyond the limit; 503 if the queue of hashes is full.
 */
export const authenticateUser = (
  app: FastifyInstance,
  settings: ServiceSettings,
  login: Login
): Promise<StoredUser> => countLogin(app, checkLogin(app.productStore, settings, login))

/** Counts a login for the metrics. */
export async function countLogin(
  { productMetrics }: FastifyInstance,
  login: Promise<StoredUser>
): Promise<StoredUser> {
  try {
    const user = await login
    productMetrics.counter('logins_total').inc({ outcome: 'succeeded' })
    return user
  } catch (error) {
    const outcome = (error instanceof PublicError && outcomes[error.statusCode]) || 'failed'
    productMetrics.counter('logins_total').inc({ outcome })
    throw error
  }
}

const outcomes: Record<number, LoginOutcome> = { 400: 'refused', 429: 'locked', 503: 'busy' }

/**
 * Failed logins count per account and window, whether or not the account exists. A successful login clears them. A
 * failure counts when it is known, so concurrent logins may exceed the limit, at most by the size of the hash queue.
 */
async function checkLogin(
  db: Db,
  settings: ServiceSettings,
  { email, password }: Login
): Promise<StoredUser> {
  const { accountLimit, accountWindow } = settings
  const subject = { account: emailKey(email) }
  const { count: failures, secondsLeft } = await readAttempts(db, subject)
  if (accountLimit > 0 && failures >= accountLimit)
    throw tooManyRequests('failed logins of the account', secondsLeft, 'account_limit')
  const user = await findUserByEmail(db, email)
  // The same work for an unknown user, so that the time reveals nothing.
  const passwordHash = user?.passwordHash ?? (await makeAbsentUserHash(db, email, settings))
  const matches = await verifyPassword(password, passwordHash)
  if (!user || !matches || user.disabled) {
    if (accountLimit > 0) await countAttempt(db, subject, accountWindow)
    throw makeRefusal(user, matches)
  }
  if (failures > 0) await forgetAttempts(db, subject)
  await renewHash(db, user, password, settings)
  return user
}

/** The caller sees the same error for every reason. */
function makeRefusal(user: StoredUser | undefined, matches: boolean): PublicError {
  if (!user) return invalidGrant('unknown user', 'unknown_user')
  if (!matches) return invalidGrant(`wrong password of user ${user.id}`, 'wrong_password')
  return invalidGrant(`user ${user.id} is disabled`, 'disabled')
}

/**
 * Makes a hash to verify against if there is no user. The hash matches nothing and costs as much as the hash of some
 * account; an e-mail address always selects the same account. So the time of a refusal does not reveal whether the
 * account exists, even if hashes have different costs.
 */
async function makeAbsentUserHash(db: Db, email: string, settings: ServiceSettings): Promise<string> {
  const address = emailKey(email)
  const first = await findPasswordHash(db, digest(address))
  // The second hash uses a stored hash as its secret; otherwise anyone could compute which addresses select the same
  // account.
  const borrowed = first && (await findPasswordHash(db, digest(first + address)))
  return makeUnmatchableHash(readCost(borrowed ?? '') ?? formatCost(settings))
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * After a successful login, hashes the password again if the cost of its hash differs from the settings. The user's
 * tokens stay valid. If the password has changed in the meantime, the new password is kept.
 */
async function renewHash(
  db: Db,
  user: StoredUser,
  password: string,
  settings: ServiceSettings
): Promise<void> {
  if (readCost(user.passwordHash) === formatCost(settings)) return
  try {
    await replacePasswordHash(db, user.id, user.passwordHash, await hashPassword(password, settings))
  } catch (error) {
    // A failure does not refuse the login; the next login tries again.
    if (publicError(error).statusCode !== 503) throw error
  }
}
