/** Users, as administrators, commands and hosts change them: checked, and recorded in the audit trail. */
import { randomUUID } from 'node:crypto'
import { forgetFailures } from '../db/accounts/attempts.ts'
import * as consents from '../db/accounts/logins/consents.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import type { StoredUser } from '../db/accounts/users.ts'
import * as stored from '../db/accounts/users.ts'
import { type AuditActor, makeAuditedChange, recordEvent } from '../db/audit/record.ts'
import type { Db, Transaction } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { defaultPasswordCost, type PasswordCost } from '../options/service.ts'
import { accountExists, accountMissing, lastAdmin } from '../runtime/host-errors.ts'
import { formatCost, hashPassword, makeUnmatchableHash } from './credentials/secrets.ts'
import { createLinkToken, replacePassword } from './passwords.ts'
import { checkUser, InvitedUser, NewUser, Profile } from './user-input.ts'

/** A user without the password hash and the token epoch. */
export type User = Omit<StoredUser, 'passwordHash' | 'tokenEpoch'>

/** Throws StoreError if the e-mail address is taken. */
export async function requireFreeEmail(db: Db, email: string): Promise<void> {
  if (await stored.findUserByEmail(db, email)) throw accountExists(`user ${email}`)
}

/** Adds a user. Rejects with ArgumentError for wrong values, with StoreError if the e-mail address is taken. */
export async function addUser(
  db: Db,
  input: NewUser,
  cost: PasswordCost = defaultPasswordCost,
  actor: AuditActor
): Promise<User> {
  const { password, ...values } = checkUser(NewUser, input)
  // Outside the transaction, because hashing is slow.
  const passwordHash = await hashPassword(password, cost)
  return transact(db, async transaction => {
    const user = await createUser(transaction, values, passwordHash)
    await recordEvent(transaction, actor, 'user.add', user, { role: user.role })
    return omitSecrets(user)
  })
}

/** Adds a user, and makes the token of a link for choosing the password. Rejects like `addUser`. */
export function inviteUser(
  db: Db,
  input: InvitedUser,
  cost: PasswordCost = defaultPasswordCost,
  actor: AuditActor
): Promise<{ user: User; token: string }> {
  const values = checkUser(InvitedUser, input)
  return transact(db, async transaction => {
    const user = await createUser(transaction, values, makeUnmatchableHash(formatCost(cost)))
    await recordEvent(transaction, actor, 'user.add', user, { role: user.role })
    return { user: omitSecrets(user), token: await createLinkToken(transaction, user, actor) }
  })
}

/** Creates a user. A hash that no password matches allows no login. Throws StoreError for a taken address. */
export async function createUser(
  transaction: Transaction,
  values: InvitedUser,
  passwordHash: string
): Promise<StoredUser> {
  const noProfile = { firstName: '', lastName: '', country: '', mobile: '', wallets: [] }
  await requireFreeEmail(transaction, values.email)
  await stored.insertUser(transaction, { id: randomUUID(), ...noProfile, ...values, passwordHash })
  return requireUser(transaction, values.email)
}

/** Finds a user by e-mail address, whatever its case. */
export async function findUser(db: Db, email: string): Promise<User | undefined> {
  const user = await stored.findUserByEmail(db, email)
  return user && omitSecrets(user)
}

/** Lists all users by e-mail address. */
export const listUsers = async (db: Db): Promise<User[]> =>
  (await stored.listStoredUsers(db)).map(omitSecrets)

/**
 * Changes the password of a user, revokes all tokens and unlocks the account. Rejects with ArgumentError for a password
 * that is empty or too long, with StoreError if there is no such user.
 */
export async function setPassword(
  db: Db,
  email: string,
  password: string,
  cost: PasswordCost = defaultPasswordCost,
  actor: AuditActor
): Promise<void> {
  const passwordHash = await hashPassword(password, cost)
  await transact(db, async transaction =>
    replacePassword(transaction, await requireUser(transaction, email), passwordHash, actor)
  )
}

/**
 * Disables a user and revokes all tokens, which stay revoked if the user is enabled again. Rejects with StoreError
 * if there is no such user, or if it is the last administrator.
 */
export const disableUser = (db: Db, email: string, actor: AuditActor): Promise<void> =>
  changeAdmin(db, email, ['user.disable', actor], async (transaction, { id }) => {
    await stored.setUserDisabled(transaction, email, true)
    await revokeFamilies(transaction, { user_id: id })
  })

/** Enables a disabled user. Rejects with StoreError if there is no such user. */
export const enableUser = (db: Db, email: string, actor: AuditActor): Promise<void> =>
  changeUser(db, email, ['user.enable', actor], transaction =>
    stored.setUserDisabled(transaction, email, false)
  )

/** Ends all sessions and tokens of a user. Rejects with StoreError if there is no such user. */
export const endSessions = (db: Db, email: string, actor: AuditActor): Promise<void> =>
  changeUser(db, email, ['user.end_sessions', actor], async (transaction, { id }) => {
    await stored.endTokens(transaction, email)
    await revokeFamilies(transaction, { user_id: id })
  })

/**
 * Changes the given fields of a user's profile. Rejects with ArgumentError for wrong values, with StoreError if there
 * is no such user, or if the last administrator would get another role.
 */
export async function updateUser(db: Db, email: string, input: Profile, actor: AuditActor): Promise<User> {
  const values = checkUser(Profile, input)
  const { role, where, ...others } = values
  const details = (user: StoredUser) => ({
    ...(role !== undefined && { role: { from: user.role, to: role } }),
    ...(where !== undefined && { where: { from: user.where, to: where } }),
    changed: Object.keys(others)
  })
  const change = (role ?? 'admin') === 'admin' ? changeUser : changeAdmin
  return change(db, email, ['user.update', actor, details], async (transaction, user) => {
    await stored.updateProfile(transaction, user, values)
    return omitSecrets(await requireUser(transaction, email))
  })
}

/**
 * Deletes a user and ends all tokens. Rejects with StoreError if there is no such user, or if it is the last
 * administrator.
 */
export const deleteUser = (db: Db, email: string, actor: AuditActor): Promise<void> =>
  changeAdmin(db, email, ['user.delete', actor], async (transaction, { id, email }) => {
    await stored.deleteUser(transaction, id)
    await forgetFailures(transaction, { kind: 'account', id: email })
  })

/** Lists the clients that a user has given consent to, with scopes. Rejects with StoreError for an unknown user. */
export const listConsents = async (db: Db, email: string) =>
  consents.listConsents(db, (await requireUser(db, email)).id)

/**
 * Revokes a user's consent to a client, and ends the client's logins. Rejects with StoreError if there is no such user,
 * or neither a consent nor a login.
 */
export const revokeConsent = (db: Db, email: string, clientId: string, actor: AuditActor): Promise<void> =>
  changeUser(
    db,
    email,
    ['user.revoke_consent', actor, () => ({ clientId })],
    async (transaction, { id: userId }) => {
      const hadConsent = await consents.deleteConsent(transaction, { userId, clientId })
      const hadLogin = await revokeFamilies(transaction, { user_id: userId, client_id: clientId })
      if (!hadConsent && !hadLogin) throw accountMissing(`consent of user ${email} to client ${clientId}`)
    }
  )

/** Finds a user by e-mail address. Rejects with StoreError if there is no such user. */
export async function requireUser(db: Db, email: string): Promise<StoredUser> {
  const user = await stored.findUserByEmail(db, email)
  if (!user) throw accountMissing(`user ${email}`)
  return user
}

/** Changes a user and records the change in the audit trail. */
const changeUser = makeAuditedChange(requireUser)

/**
 * Like {@link changeUser}, for a change after which the user is no administrator any more. Refuses to change the last
 * administrator who may log in, unless an operator makes the change.
 */
const changeAdmin = makeAuditedChange(async (db, email, { isOperator = false }) => {
  const user = await requireUser(db, email)
  const mustStay = user.role === 'admin' && !user.disabled && !isOperator
  if (mustStay && !(await stored.hasOtherAdmin(db, user.id))) throw lastAdmin(`user ${user.email}`)
  return user
})

/** Returns a user as commands and hosts see it. */
export const omitSecrets = ({ passwordHash: _hash, tokenEpoch: _epoch, ...user }: StoredUser): User => user
