import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { hashPassword, type PasswordCost } from '../credentials/secrets.ts'
import { forgetAttempts } from '../db/accounts/attempts.ts'
import * as consents from '../db/accounts/consents.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import { roles } from '../db/accounts/roles.ts'
import {
  deleteUser,
  findUserByEmail,
  insertUser,
  listStoredUsers,
  longestEmail,
  type StoredUser,
  setUserDisabled,
  updateProfile
} from '../db/accounts/users.ts'
import type { Db } from '../db/schema.ts'
import { readRule } from '../db/templates/rules/rule.ts'
import { transact } from '../db/transaction.ts'
import { accountExists, accountMissing } from '../errors.ts'
import { defaultPasswordCost } from '../options/access.ts'
import { checkArgument } from '../validator.ts'
import { unprintable } from './one-line.ts'
import { replacePassword } from './passwords.ts'

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

/** A user to add. */
const NewUser = Type.Object(
  {
    email: Type.String({
      pattern: emailPattern,
      maxLength: longestEmail,
      description: `an e-mail address of at most ${longestEmail} characters`
    }),
    password: Type.String({ description: 'a string' }),
    ...profile
  },
  { additionalProperties: false }
)
export type NewUser = Static<typeof NewUser>

/** Throws ArgumentError if a new user has wrong values. */
export function checkUser(given: NewUser): NewUser {
  const user = checkArgument('user', NewUser, given)
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
  cost: PasswordCost = defaultPasswordCost
): Promise<User> {
  const { password, ...values } = checkUser(given)
  const noProfile = { firstName: '', lastName: '', country: '', mobile: '', wallets: [] }
  // Hashed outside the transaction, because it takes long.
  const passwordHash = await hashPassword(password, cost)
  const user = { id: randomUUID(), ...noProfile, ...values, passwordHash }
  return transact(db, async transaction => {
    await requireFreeEmail(transaction, user.email)
    await insertUser(transaction, user)
    return withoutSecrets(await requireUser(transaction, user.email))
  })
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
  cost: PasswordCost = defaultPasswordCost
): Promise<void> {
  const passwordHash = await hashPassword(password, cost)
  await change(db, email, (transaction, user) => replacePassword(transaction, user, passwordHash))
}

/** Disables a user and revokes all tokens, permanently. Rejects with AccountError if there is no such user. */
export const disableUser = (db: Db, email: string): Promise<void> =>
  change(db, email, async (transaction, { id }) => {
    await setUserDisabled(transaction, email, true)
    await revokeFamilies(transaction, { user_id: id })
  })

/** Enables a disabled user. Rejects with AccountError if there is no such user. */
export const enableUser = (db: Db, email: string): Promise<void> =>
  change(db, email, transaction => setUserDisabled(transaction, email, false))

/**
 * Changes the given fields of a user's profile. Rejects with ArgumentError for wrong values, with AccountError if there is
 * no such user.
 */
export async function updateUser(db: Db, email: string, given: Profile): Promise<User> {
  const values = checkArgument('user', Profile, given)
  checkRule(values)
  return change(db, email, async (transaction, user) => {
    await updateProfile(transaction, user, values)
    return withoutSecrets(await requireUser(transaction, email))
  })
}

/** Removes a user; every token of the user ends at once. Rejects with AccountError if there is no such user. */
export const removeUser = (db: Db, email: string): Promise<void> =>
  change(db, email, async (transaction, { id, email }) => {
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
export const revokeConsent = (db: Db, email: string, clientId: string): Promise<void> =>
  change(db, email, async (transaction, { id: userId }) => {
    if (!(await consents.deleteConsent(transaction, { userId, clientId })))
      throw accountMissing(`consent of user ${email} to client ${clientId}`)
    await revokeFamilies(transaction, { user_id: userId, client_id: clientId })
  })

/** Rejects with AccountError if there is no such user. */
export async function requireUser(db: Db, email: string): Promise<StoredUser> {
  const user = await findUserByEmail(db, email)
  if (!user) throw accountMissing(`user ${email}`)
  return user
}

const change = <T>(
  db: Db,
  email: string,
  job: (transaction: Db, user: StoredUser) => Promise<T>
): Promise<T> => transact(db, async transaction => job(transaction, await requireUser(transaction, email)))

/** A user as commands and hosts see it. */
export const withoutSecrets = ({ passwordHash: _hash, tokenEpoch: _epoch, ...user }: StoredUser): User => user
