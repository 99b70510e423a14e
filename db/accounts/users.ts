import { sql, type UpdateObject } from 'kysely'
import { prepared } from '../dialects/prepared.ts'
import type { Database, Db, Row } from '../schema.ts'
import { parseJson } from '../templates/table/document.ts'
import { timestamp } from '../timestamp.ts'
import { defaultRole, type Role, toRole } from './roles.ts'

/** Maximum length of an e-mail address in characters: 64 before the @ and 255 after it, RFC 5321 §4.5.3.1. */
export const longestEmail = 320

/** Makes the key of an e-mail address. Case is ignored, white space is not. A too long address is unchanged. */
export const emailKey = (email: string): string =>
  // Checked before normalisation, which takes quadratic time.
  email.length > longestEmail ? email : email.normalize('NFC').toLowerCase()

/** A user with the profile for token responses. */
export type StoredUser = ReturnType<typeof toUser>

const toUser = (row: Row<'product_user'>, wallets: { address: string }[] = []) => ({
  id: row.id,
  email: row.email,
  passwordHash: row.password_hash,
  firstName: row.first_name,
  lastName: row.last_name,
  country: row.country,
  mobile: row.mobile,
  /** Blockchain wallet addresses, in the user's order. */
  wallets: wallets.map(({ address }) => address),
  role: toRole(row.role),
  /** The rule on the templates that the user may see and write, a `where`; null: all. */
  where: row.template_where === null ? null : (parseJson(row.template_where) as object),
  disabled: row.time_disabled !== null,
  /** Tokens of an earlier epoch are invalid. */
  tokenEpoch: row.token_epoch
})

export type UserToInsert = Omit<StoredUser, 'disabled' | 'tokenEpoch' | 'role' | 'where'> & {
  role?: Role | undefined
  where?: object | null | undefined
}

export const findUserByEmail = (db: Db, email: string): Promise<StoredUser | undefined> =>
  findUserBy(db, 'email', emailKey(email))

export const findUserById = (db: Db, id: string): Promise<StoredUser | undefined> => findUserBy(db, 'id', id)

async function findUserBy(db: Db, column: 'email' | 'id', value: string): Promise<StoredUser | undefined> {
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
  return toUser(row, wallets)
}

/** Lists all users by e-mail address. */
export async function listStoredUsers(db: Db): Promise<StoredUser[]> {
  const rows = await db.selectFrom('product_user').selectAll().orderBy('email').execute()
  return withWallets(
    rows,
    await db.selectFrom('product_user_wallet').selectAll().orderBy('position').execute()
  )
}

/** Makes users of their rows and those of their wallets, in order. */
export function withWallets(
  rows: Row<'product_user'>[],
  wallets: Row<'product_user_wallet'>[]
): StoredUser[] {
  const walletsOf = Map.groupBy(wallets, wallet => wallet.user_id)
  return rows.map(row => toUser(row, walletsOf.get(row.id)))
}

/** Whether there is an administrator besides this one who may log in. */
export async function hasOtherAdmin(db: Db, id: string): Promise<boolean> {
  const admins = db
    .selectFrom('product_user')
    .select('id')
    .where('role', '=', 'admin' satisfies Role)
  return (
    (await admins.where('time_disabled', 'is', null).where('id', '<>', id).executeTakeFirst()) !== undefined
  )
}

/** Inserts a user and the wallets; `db` is a transaction. Throws RangeError if the e-mail address is too long. */
export async function insertUser(db: Db, user: UserToInsert): Promise<void> {
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
      role: user.role ?? defaultRole,
      template_where: toStoredRule(user.where) ?? null,
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

/** Returns JSON; null for no rule, undefined if it stays. */
const toStoredRule = (where: object | null | undefined) => (where ? JSON.stringify(where) : where)

/** What may change of a user while the tokens stay valid. */
type ProfileChange = Partial<
  Pick<StoredUser, 'firstName' | 'lastName' | 'country' | 'mobile' | 'wallets' | 'role' | 'where'>
>

/** Changes the given fields of a profile, the role and the rule; `db` is a transaction. */
export async function updateProfile(
  db: Db,
  { id, email }: StoredUser,
  { firstName, lastName, country, mobile, wallets, role, where }: ProfileChange
): Promise<void> {
  const names = { first_name: firstName, last_name: lastName }
  await updateColumns(db, email, { ...names, country, mobile, role, template_where: toStoredRule(where) })
  if (wallets === undefined) return
  await db.deleteFrom('product_user_wallet').where('user_id', '=', id).execute()
  await insertWallets(db, id, wallets)
}

/** Deletes a user with the wallets and logins; every token of the user ends. */
export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('product_user').where('id', '=', id).execute()
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

/** Also ends every access token of the user. */
export const updatePassword = (db: Db, email: string, passwordHash: string): Promise<void> =>
  updateColumns(db, email, { password_hash: passwordHash, token_epoch: nextEpoch })

/** Ends every access token and session of the user. */
export const endTokens = (db: Db, email: string): Promise<void> =>
  updateColumns(db, email, { token_epoch: nextEpoch })

/** Disabling also ends every access token of the user permanently. */
export const setUserDisabled = (db: Db, email: string, disabled: boolean): Promise<void> =>
  updateColumns(
    db,
    email,
    disabled ? { time_disabled: timestamp(), token_epoch: nextEpoch } : { time_disabled: null }
  )

async function updateColumns(
  db: Db,
  email: string,
  change: UpdateObject<Database, 'product_user'>
): Promise<void> {
  await db
    .updateTable('product_user')
    .set({ ...change, time_modified: timestamp() })
    .where('email', '=', emailKey(email))
    .execute()
}
