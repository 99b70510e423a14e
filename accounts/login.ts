import { hash } from 'node:crypto'
import {
  formatCost,
  hashPassword,
  makeUnmatchableHash,
  readCost,
  verifyPassword
} from '../credentials/secrets.ts'
import { type AttemptSubject, countAttempt, forgetAttempts, readAttempts } from '../db/accounts/attempts.ts'
import {
  emailKey,
  findPasswordHash,
  findUnchangedUser,
  findUserByEmail,
  replacePasswordHash,
  type StoredUser
} from '../db/accounts/users.ts'
import type { Db } from '../db/schema.ts'
import { invalidGrant, PublicError, publicError, tooManyRequests } from '../errors.ts'
import type { ServiceSettings } from '../options.ts'

interface Login {
  email: string
  password: string
}

/**
 * Authenticates a user by the password. Throws the same `invalid_grant`, after the same work, for an unknown user, a
 * disabled user and a wrong password; 429 beyond the limit; 503 if the queue of hashes is full. A failure counts when it
 * is known, so concurrent logins may exceed the limit, at most by the size of the hash queue.
 */
export async function authenticateUser(
  db: Db,
  settings: ServiceSettings,
  { email, password }: Login
): Promise<StoredUser> {
  const found = await limitFailures(db, settings, { account: emailKey(email) }, async () => {
    const user = await findUserByEmail(db, email)
    // The same work for an unknown user, so that the time reveals nothing.
    const passwordHash = user?.passwordHash ?? (await makeAbsentUserHash(db, email, settings))
    const matches = await verifyPassword(password, passwordHash)
    if (!user || !matches || user.disabled) throw makeRefusal(user, matches)
    return user
  })
  await renewHash(db, found, password, settings)
  return found
}

/**
 * Runs a login, and limits failed ones. Failures count per subject and window, whether or not the subject exists. A
 * successful login clears them. Throws 429 beyond the limit.
 */
export async function limitFailures(
  db: Db,
  { accountLimit, accountWindow }: Pick<ServiceSettings, 'accountLimit' | 'accountWindow'>,
  subject: AttemptSubject,
  logIn: () => Promise<StoredUser>
): Promise<StoredUser> {
  const [kind] = Object.keys(subject)
  const { count: failures, secondsLeft } = await readAttempts(db, subject)
  if (accountLimit > 0 && failures >= accountLimit)
    throw tooManyRequests(`failed logins of the ${kind}`, secondsLeft, 'account_limit')
  try {
    const user = await logIn()
    if (failures > 0) await forgetAttempts(db, subject)
    return user
  } catch (error) {
    const isRefused = error instanceof PublicError && error.code === 'invalid_grant'
    if (isRefused && accountLimit > 0) await countAttempt(db, subject, accountWindow)
    throw error
  }
}

/** Throws `invalid_grant` if the user was removed, disabled or given a new password since it was read. */
export async function requireUnchanged(db: Db, user: StoredUser): Promise<void> {
  if (!(await findUnchangedUser(db, user))) throw invalidGrant(`user ${user.id} has changed since`)
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
  const first = await findPasswordHash(db, hash('sha256', address))
  // The second hash uses a stored hash as its secret; otherwise anyone could compute which addresses select the same
  // account.
  const borrowed = first && (await findPasswordHash(db, hash('sha256', first + address)))
  return makeUnmatchableHash(readCost(borrowed ?? '') ?? formatCost(settings))
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
  if (readCost(user.passwordHash) === formatCost(settings)) return
  try {
    await replacePasswordHash(db, user.id, user.passwordHash, await hashPassword(password, settings))
  } catch (error) {
    // A failure does not refuse the login; the next login tries again.
    if (publicError(error).statusCode !== 503) throw error
  }
}
