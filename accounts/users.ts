import { randomUUID } from 'node:crypto'
import { formatCost, hashPassword, type PasswordCost, unmatchableHash } from '../credentials/secrets.ts'
import { forgetAttempts } from '../db/accounts/attempts.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import {
  deleteUser,
  endTokens,
  findUserByEmail,
  hasOtherAdmin,
  insertUser,
  listStoredUsers,
  type StoredUser,
  setUserDisabled,
  updateProfile
} from '../db/accounts/users.ts'
import { type AuditAction, type AuditActor, noActor, recordUserEvent } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { accountExists, accountMissing, lastAdmin } from '../errors.ts'
import { defaultPasswordCost } from '../options/access.ts'
import { checkArgument } from '../validator.ts'
import { createPasswordLink, replacePassword } from './passwords.ts'
import { checkRule, checkUser, type InvitedUser, NewUser, Profile } from './user-input.ts'

/** A user, without what tokens are checked by. */
export type User = Omit<StoredUser, 'passwordHash' | 'tokenEpoch'>

/** Throws AccountError if the e-mail address is taken. */
export async function requireFreeEmail(db: Db, email: string): Promise<void> {
  if (await findUserByEmail(db, email)) throw accountExists(`user ${email}`)
}

/**
 * Adds a user, with the cost of the password's hash. Rejects with ArgumentError for wrong values, with AccountError if the
 * e-mail address is taken.
 */
export async function addUser(
  db: Db,
  given: NewUser,
  cost: PasswordCost = defaultPasswordCost,
  actor = noActor
): Promise<User> {
  const { password, ...values } = checkArgument('user', NewUser, given)
  // Hashed outside the transaction, because it takes long.
  const passwordHash = await hashPassword(password, cost)
  return transact(db, async transaction =>
    withoutSecrets(await insert(transaction, values, passwordHash, actor))
  )
}

/** Adds a user, and makes the token of a link with which the user chooses a password. Rejects like `addUser`. */
export function inviteUser(
  db: Db,
  given: InvitedUser,
  cost: PasswordCost = defaultPasswordCost,
  actor = noActor
): Promise<{ user: User; token: string }> {
  const values = checkUser(given)
  return transact(db, async transaction => {
    // Nobody can log in with a password before one is set.
    const user = await insert(transaction, values, unmatchableHash(formatCost(cost)), actor)
    return { user: withoutSecrets(user), token: await createPasswordLink(transaction, user, actor) }
  })
}

async function insert(
  db: Db,
  values: InvitedUser,
  passwordHash: string,
  actor: AuditActor
): Promise<StoredUser> {
  const noProfile = { firstName: '', lastName: '', country: '', mobile: '', wallets: [] }
  await requireFreeEmail(db, values.email)
  await insertUser(db, { id: randomUUID(), ...noProfile, ...values, passwordHash })
  const user = await requireUser(db, values.email)
  await recordUserEvent(db, actor, 'user.add', user, { role: user.role })
  return user
}

/** Finds a user by e-mail address; case is ignored. */
export async function findUser(db: Db, email: string): Promise<User | undefined> {
  const user = await findUserByEmail(db, email)
  return user && withoutSecrets(user)
}

/** Lists all users by e-mail address. */
export const listUsers = async (db: Db): Promise<User[]> => (await listStoredUsers(db)).map(withoutSecrets)

/**
 * Changes the password of a user, revokes all tokens and unlocks the account. Rejects with ArgumentError for a password
 * that is empty or too long, with AccountError if there is no such user.
 */
export async function setPassword(
  db: Db,
  email: string,
  password: string,
  cost: PasswordCost = defaultPasswordCost,
  actor = noActor
): Promise<void> {
  const passwordHash = await hashPassword(password, cost)
  await transact(db, async transaction =>
    replacePassword(transaction, await requireUser(transaction, email), passwordHash, actor)
  )
}

/** Disables a user and revokes all tokens, permanently. Rejects with AccountError if there is no such user. */
export const disableUser = (db: Db, email: string, actor = noActor): Promise<void> =>
  changeUser(db, email, ['user.disable', actor], async (transaction, { id }) => {
    await setUserDisabled(transaction, email, true)
    await revokeFamilies(transaction, { user_id: id })
  })

/** Enables a disabled user. Rejects with AccountError if there is no such user. */
export const enableUser = (db: Db, email: string, actor = noActor): Promise<void> =>
  changeUser(db, email, ['user.enable', actor], transaction => setUserDisabled(transaction, email, false))

/** Ends every session and every token of a user. Rejects with AccountError if there is no such user. */
export const endSessions = (db: Db, email: string, actor = noActor): Promise<void> =>
  changeUser(db, email, ['user.end_sessions', actor], async (transaction, { id }) => {
    await endTokens(transaction, email)
    await revokeFamilies(transaction, { user_id: id })
  })

/**
 * Changes the given fields of a user's profile. Rejects with ArgumentError for wrong values, with AccountError if there is
 * no such user.
 */
export async function updateUser(db: Db, email: string, given: Profile, actor = noActor): Promise<User> {
  const values = checkArgument('user', Profile, given)
  checkRule(values)
  const { role, where, ...others } = values
  const details = (user: StoredUser) => ({
    ...(role !== undefined && { role: { from: user.role, to: role } }),
    ...(where !== undefined && { where: { from: user.where, to: where } }),
    changed: Object.keys(others)
  })
  return changeUser(db, email, ['user.update', actor, details], async (transaction, user) => {
    await updateProfile(transaction, user, values)
    return withoutSecrets(await requireUser(transaction, email))
  })
}

/** Removes a user; every token of the user ends at once. Rejects with AccountError if there is no such user. */
export const removeUser = (db: Db, email: string, actor = noActor): Promise<void> =>
  changeUser(db, email, ['user.remove', actor], async (transaction, { id, email }) => {
    await deleteUser(transaction, id)
    await forgetAttempts(transaction, { account: email })
  })

/** Rejects with AccountError if there is no such user. */
export async function requireUser(db: Db, email: string): Promise<StoredUser> {
  const user = await findUserByEmail(db, email)
  if (!user) throw accountMissing(`user ${email}`)
  return user
}

/** Throws AccountError for a user without whom nobody could administrate; `db` is the transaction of the change. */
export async function requireOtherAdmin(db: Db, user: StoredUser): Promise<void> {
  const isAdmin = user.role === 'admin' && !user.disabled
  if (isAdmin && !(await hasOtherAdmin(db, user.id))) throw lastAdmin(`user ${user.email}`)
}

/** What is recorded of a change. */
type Recorded = [action: AuditAction, actor: AuditActor, details?: (user: StoredUser) => object]

/** Changes a user and records it, first, because afterwards the user may be gone. */
export const changeUser = <T>(
  db: Db,
  email: string,
  [action, actor, details]: Recorded,
  job: (transaction: Db, user: StoredUser) => Promise<T>
): Promise<T> =>
  transact(db, async transaction => {
    const user = await requireUser(transaction, email)
    await recordUserEvent(transaction, actor, action, user, details?.(user))
    return job(transaction, user)
  })

/** A user as commands and hosts see it. */
export const withoutSecrets = ({ passwordHash: _hash, tokenEpoch: _epoch, ...user }: StoredUser): User => user
