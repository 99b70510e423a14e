import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../dialects/prepared.ts'
import type { Db, UserRow } from '../schema.ts'
import { timestamp } from '../timestamp.ts'
import { emailKey, longestEmail } from './email-key.ts'

/** A user with the profile for token responses. */
export interface User {
  id: string
  email: string
  passwordHash: string
  firstName: string
  lastName: string
  country: string
  mobile: string
  /** Blockchain wallet addresses, in the user's order. */
  wallets: string[]
  disabled: boolean
  /** Tokens of an earlier epoch are invalid. */
  tokenEpoch: number
}

export type NewUser = Omit<User, 'disabled' | 'tokenEpoch'>

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return findUser(db, 'email', emailKey(email))
}

export async function findUserById(db: Db, id: string): Promise<User | undefined> {
  return findUser(db, 'id', id)
}

async function findUser(db: Db, column: 'email' | 'id', value: string): Promise<User | undefined> {
  const row = await prepared(db)
    .selectFrom('product_user')
    .selectAll()
    .where(column, '=', value)
    .executeTakeFirst()
  if (!row) return undefined
  const wallets = await prepared(db)
    .selectFrom('product_user_wallet')
    .select('address')
    .where('user_id', '=', row.id)
    .orderBy('position')
    .execute()
  return toUser(
    row,
    wallets.map(({ address }) => address)
  )
}

/** Lists all users by e-mail address. */
export async function listUsers(db: Db): Promise<User[]> {
  const rows = await db.selectFrom('product_user').selectAll().orderBy('email').execute()
  const wallets = await db.selectFrom('product_user_wallet').selectAll().orderBy('position').execute()
  const addressesOf = Map.groupBy(wallets, wallet => wallet.user_id)
  return rows.map(row => toUser(row, addressesOf.get(row.id)?.map(({ address }) => address) ?? []))
}

/** Inserts a user and the wallets; `db` is a transaction. Throws RangeError if the e-mail address is too long. */
export async function insertUser(db: Db, user: NewUser): Promise<void> {
  if (user.email.length > longestEmail)
    throw new RangeError(`an e-mail address must have at most ${longestEmail} characters`)
  const now = timestamp()
  await db
    .insertInto('product_user')
    .values({
      id: user.id,
      email: emailKey(user.email),
      password_hash: user.passwordHash,
      first_name: user.firstName,
      last_name: user.lastName,
      country: user.country,
      mobile: user.mobile,
      time_created: now,
      time_modified: now
    })
    .execute()
  await insertWallets(db, user.id, user.wallets)
}

async function insertWallets(db: Db, id: string, addresses: string[]): Promise<void> {
  if (addresses.length === 0) return
  const wallets = addresses.map((address, position) => ({ user_id: id, position, address }))
  await db.insertInto('product_user_wallet').values(wallets).execute()
}

/** The part of a user that no token depends on. */
export type Profile = Pick<User, 'firstName' | 'lastName' | 'country' | 'mobile' | 'wallets'>

/** Changes the given fields of a profile; `db` is a transaction. Returns false if there is no such user. */
export async function updateProfile(db: Db, id: string, profile: Partial<Profile>): Promise<boolean> {
  const { firstName, lastName, country, mobile, wallets } = profile
  const { numUpdatedRows } = await db
    .updateTable('product_user')
    .set({
      ...(firstName !== undefined && { first_name: firstName }),
      ...(lastName !== undefined && { last_name: lastName }),
      ...(country !== undefined && { country }),
      ...(mobile !== undefined && { mobile }),
      time_modified: timestamp()
    })
    .where('id', '=', id)
    .executeTakeFirst()
  if (wallets !== undefined) {
    await db.deleteFrom('product_user_wallet').where('user_id', '=', id).execute()
    await insertWallets(db, id, wallets)
  }
  return numUpdatedRows > 0n
}

/** Deletes a user with the wallets and logins; every token of the user ends. Returns false if there is no such user. */
export async function deleteUser(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('product_user').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the current epoch of the user's tokens; undefined if there is no such user. */
export async function tokenEpochOf(db: Db, id: string): Promise<number | undefined> {
  const row = await prepared(db)
    .selectFrom('product_user')
    .select('token_epoch')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.token_epoch
}

/**
 * Finds the password hash of the user with the first id from `point` on; undefined if there are no users. Ids are
 * random, so a random point finds a random user.
 */
export async function findPasswordHash(db: Db, point: string): Promise<string | undefined> {
  const hashes = db.selectFrom('product_user').select('password_hash').orderBy('id').limit(1)
  const row = (await hashes.where('id', '>=', point).executeTakeFirst()) ?? (await hashes.executeTakeFirst())
  return row?.password_hash
}

/** Replaces a hash by another one of the same password, unless the password has changed since. */
export async function replacePasswordHash(db: Db, id: string, from: string, to: string): Promise<void> {
  await db
    .updateTable('product_user')
    .set({ password_hash: to })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .execute()
}

const nextEpoch = sql<number>`token_epoch + 1`

/** Also ends every access token of the user. Returns false if there is no such user. */
export async function updatePassword(db: Db, email: string, passwordHash: string): Promise<boolean> {
  return updateUser(db, email, { password_hash: passwordHash, token_epoch: nextEpoch })
}

/** Also ends every access token of the user permanently. Returns false if there is no such user. */
export async function disableUser(db: Db, email: string): Promise<boolean> {
  return updateUser(db, email, { time_disabled: timestamp(), token_epoch: nextEpoch })
}

/** Returns false if there is no such user. */
export async function enableUser(db: Db, email: string): Promise<boolean> {
  return updateUser(db, email, { time_disabled: null })
}

type UserChange = Partial<Omit<UserRow, 'token_epoch'>> & { token_epoch?: RawBuilder<number> }

async function updateUser(db: Db, email: string, change: UserChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('product_user')
    .set({ ...change, time_modified: timestamp() })
    .where('email', '=', emailKey(email))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function toUser(row: UserRow, wallets: string[]): User {
  return {
    id: row.id,
    email: row.email,
    passwordHash: row.password_hash,
    firstName: row.first_name,
    lastName: row.last_name,
    country: row.country,
    mobile: row.mobile,
    wallets,
    disabled: row.time_disabled !== null,
    tokenEpoch: row.token_epoch
  }
}
