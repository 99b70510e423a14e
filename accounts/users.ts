import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { formatCost, hashPassword, type PasswordCost, unmatchableHash } from '../credentials/secrets.ts'
import { forgetAttempts } from '../db/accounts/attempts.ts'
import * as consents from '../db/accounts/consents.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import { roles } from '../db/accounts/roles.ts'
import {
  deleteUser,
  endTokens,
  findUserByEmail,
  hasOtherAdmin,
  insertUser,
  listStoredUsers,
  longestEmail,
  type StoredUser,
  setUserDisabled,
  updateProfile
} from '../db/accounts/users.ts'
import { type AuditAction, type AuditActor, noActor, recordUserEvent } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { readRule } from '../db/templates/rules/rule.ts'
import { transact } from '../db/transaction.ts'
import { accountExists, accountMissing, lastAdmin } from '../errors.ts'
import { defaultPasswordCost } from '../options/access.ts'
import { checkArgument } from '../validator.ts'
import { unprintable } from './one-line.ts'
import { createPasswordLink, replacePassword } from './passwords.ts'

/** A user, without what tokens are checked by. */
export type User = Omit<StoredUser, 'passwordHash' | 'tokenEpoch'>

const maxLength = 1000
const pattern = `^[^${unprintable}]*$`
const text = (what: string) => {
  const description = `${what} of at most ${maxLength} characters without control characters`
  return Type.Optional(Type.String({ maxLength, pattern, description }))
}

const profile = {
  firstName: text('a name'),
  lastName: text('a name'),
  country: text('a name'),
  mobile: text('a number'),
  wallets: Type.Optional(
    Type.Array(Type.String({ maxLength, pattern }), { description: 'a list of addresses' })
  ),
  /** What the user may do; `publisher` by default. */
  role: Type.Optional(Type.Enum([...roles], { description: `one of ${roles.join(', ')}` })),
  /** The templates that the user may see and write, a `where` as in the API; null, and the default: all. */
  where: Type.Optional(
    Type.Union([Type.Object({}), Type.Null()], { description: 'a filter, as in the API, or null' })
  )
}

/** The fields of a user to change. Tokens have the rights of a new role at once. */
const Profile = Type.Object(profile, { additionalProperties: false })
export type Profile = Static<typeof Profile>

/** The form of an e-mail address. */
export const emailPattern = `^[^\\s@${unprintable}]+@[^\\s@${unprintable}]+$`

/** A user to invite, who chooses the password. */
const InvitedUser = Type.Object(
  {
    email: Type.String({
      pattern: emailPattern,
      maxLength: longestEmail,
      description: `an e-mail address of at most ${longestEmail} characters`
    }),
    ...profile
  },
  { additionalProperties: false }
)
export type InvitedUser = Static<typeof InvitedUser>

/** A user to add. */
const NewUser = Type.Object(
  { ...InvitedUser.properties, password: Type.String({ description: 'a string' }) },
  { additionalProperties: false }
)
export type NewUser = Static<typeof NewUser>

/** Throws ArgumentError if a new user has wrong values. */
export function checkUser(given: InvitedUser): InvitedUser {
  const user = checkArgument('user', InvitedUser, given)
  checkRule(user)
  return user
}

function checkRule({ where }: Profile): void {
  if (where) readRule(where, 'user: where')
}

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
  change(db, email, ['user.disable', actor], async (transaction, { id }) => {
    await setUserDisabled(transaction, email, true)
    await revokeFamilies(transaction, { user_id: id })
  })

/** Enables a disabled user. Rejects with AccountError if there is no such user. */
export const enableUser = (db: Db, email: string, actor = noActor): Promise<void> =>
  change(db, email, ['user.enable', actor], transaction => setUserDisabled(transaction, email, false))

/** Ends every session and every token of a user. Rejects with AccountError if there is no such user. */
export const endSessions = (db: Db, email: string, actor = noActor): Promise<void> =>
  change(db, email, ['user.end_sessions', actor], async (transaction, { id }) => {
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
  return change(db, email, ['user.update', actor, details], async (transaction, user) => {
    await updateProfile(transaction, user, values)
    return withoutSecrets(await requireUser(transaction, email))
  })
}

/** Removes a user; every token of the user ends at once. Rejects with AccountError if there is no such user. */
export const removeUser = (db: Db, email: string, actor = noActor): Promise<void> =>
  change(db, email, ['user.remove', actor], async (transaction, { id, email }) => {
    await deleteUser(transaction, id)
    await forgetAttempts(transaction, { account: email })
  })

/** The clients that a user has allowed something, with the scopes. Rejects with AccountError if there is no such user. */
export const listConsents = async (db: Db, email: string) =>
  consents.listConsents(db, (await requireUser(db, email)).id)

/**
 * Takes back what a user has allowed a client, and ends the client's logins of the user. Rejects with AccountError if
 * there is no such user or consent.
 */
export const revokeConsent = (db: Db, email: string, clientId: string, actor = noActor): Promise<void> =>
  change(
    db,
    email,
    ['user.revoke_consent', actor, () => ({ clientId })],
    async (transaction, { id: userId }) => {
      if (!(await consents.deleteConsent(transaction, { userId, clientId })))
        throw accountMissing(`consent of user ${email} to client ${clientId}`)
      await revokeFamilies(transaction, { user_id: userId, client_id: clientId })
    }
  )

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
const change = <T>(
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
