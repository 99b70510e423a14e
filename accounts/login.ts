import { hash } from 'node:crypto'
import { type AttemptSubject, countFailure, forgetFailures, readFailures } from '../db/accounts/attempts.ts'
import {
  emailKey,
  findPasswordHash,
  findUserByEmail,
  replacePasswordHash,
  type StoredUser
} from '../db/accounts/users.ts'
import { isUnavailable } from '../db/dialects/faults.ts'
import type { Db } from '../db/schema.ts'
import type { ServiceSettings } from '../options/index.ts'
import { invalidGrant, PublicError, tooManyRequests } from '../runtime/errors.ts'
import {
  formatCost,
  hashPassword,
  isPossiblePassword,
  makeUnmatchableHash,
  readHashCost,
  verifyPassword
} from './credentials/secrets.ts'

/**
 * Authenticates a user by the password. For an unknown user, a disabled user and a wrong password, throws the same
 * `invalid_grant` after the same work. Throws 429 beyond the limit, and 503 if the queue of hashes is full. A failure
 * counts when it is known, so concurrent logins may exceed the limit, at most by the size of the hash queue.
 */
export async function authenticateUser(
  db: Db,
  settings: ServiceSettings,
  { email, password }: { email: string; password: string }
): Promise<StoredUser> {
  const user = await limitFailures(db, settings, { kind: 'account', id: emailKey(email) }, async () => {
    // Before the user is looked up, because no hash is computed: the time would tell whether there is a user.
    if (!isPossiblePassword(password)) throw invalidGrant('a password of a wrong length', 'wrong_password')
    const user = await findUserByEmail(db, email)
    // A known user takes the same work as an unknown one, so that the time reveals nothing.
    const absent = await makeAbsentUserHash(db, email, settings)
    const matches = await verifyPassword(password, user?.passwordHash ?? absent)
    return requireLogin(user, matches)
  })
  await renewHash(db, user, password, settings)
  return user
}

/**
 * Runs a login, and limits those that throw `invalid_grant`. They count per subject and window, whether or not the
 * subject exists. A successful login clears them. Throws 429 beyond the limit. Other errors, such as that of a full queue
 * of hashes, do not count.
 */
export async function limitFailures(
  db: Db,
  { accountLimit }: Pick<ServiceSettings, 'accountLimit'>,
  subject: AttemptSubject,
  logIn: () => Promise<StoredUser>
): Promise<StoredUser> {
  const { count: failures, secondsLeft } = await readFailures(db, subject)
  if (accountLimit > 0 && failures >= accountLimit)
    throw tooManyRequests(`failed logins of the ${subject.kind}`, secondsLeft, 'account_limit')
  const user = await logIn().catch(async error => {
    const isRefused = error instanceof PublicError && error.code === 'invalid_grant'
    if (isRefused && accountLimit > 0) await countFailure(db, subject)
    throw error
  })
  if (failures > 0) await forgetFailures(db, subject)
  return user
}

/** The caller sees the same error for every reason. */
function requireLogin(user: StoredUser | undefined, matches: boolean): StoredUser {
  if (!user) throw invalidGrant('unknown user', 'unknown_user')
  if (!matches) throw invalidGrant(`wrong password of user ${user.id}`, 'wrong_password')
  if (user.disabled) throw invalidGrant(`user ${user.id} is disabled`, 'disabled')
  return user
}

/**
 * Makes a hash to verify against if there is no user. The hash matches nothing and costs as much as the hash of some
 * account; an e-mail address always selects the same account. So the time of a refusal does not reveal whether the
 * account exists, even if hashes have different costs.
 */
async function makeAbsentUserHash(db: Db, email: string, settings: ServiceSettings): Promise<string> {
  const address = emailKey(email)
  const first = await findPasswordHash(db, hash('sha256', address))
  // The secret of the second hash is a stored hash, so that nobody can compute which addresses select an account.
  const borrowed = first && (await findPasswordHash(db, hash('sha256', first + address)))
  return makeUnmatchableHash(readHashCost(borrowed ?? '') ?? formatCost(settings))
}

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
  if (readHashCost(user.passwordHash) === formatCost(settings)) return
  try {
    await replacePasswordHash(db, user.id, user.passwordHash, await hashPassword(password, settings))
  } catch (error) {
    // If the queue is full or the database unavailable, the login succeeds, and the next one tries again.
    const isBusy = error instanceof PublicError && error.statusCode === 503
    if (!isBusy && !isUnavailable(error)) throw error
  }
}
