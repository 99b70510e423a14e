/** The rows of users. Changes by administrators, commands and hosts go through `accounts/users.ts`. */
import { sql, type UpdateObject } from 'kysely'
import { defaultRole, type Role, toRole } from '../../domain/rights.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { tryParseJson } from '../../runtime/json-values.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Database, Db, Row, Transaction } from '../schema.ts'

/** Maximum length of an e-mail address in characters: 64 before the @ and 255 after it, RFC 5321 §4.5.3.1. */
export const maxEmailLength = 320

/** Converts an e-mail address to its stored form, in lower case. White space stays. A too long address is unchanged. */
export const emailKey = (email: string): string =>
  // Checked before normalisation, which takes quadratic time.
  email.length > maxEmailLength ? email : email.normalize('NFC').toLowerCase()

export type StoredUser = ReturnType<typeof toUser>

/** Converts the row of a user, with the rows of the wallets. */
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
  /** A `where`: the templates that the user may see and write; null: all. */
  where: row.template_where === null ? null : (tryParseJson(row.template_where) as object),
  disabled: row.time_disabled !== null,
  /** A token of an earlier epoch is invalid. */
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
  const wallets = await db.selectFrom('product_user_wallet').selectAll().orderBy('position').execute()
  return addWallets(rows, wallets)
}

/** Converts the rows of users, in their order, with the rows of their wallets. */
export function addWallets(rows: Row<'product_user'>[], wallets: Row<'product_user_wallet'>[]): StoredUser[] {
  const walletsOf = Map.groupBy(wallets, wallet => wallet.user_id)
  return rows.map(row => toUser(row, walletsOf.get(row.id)))
}

/** Whether another administrator may log in. */
export async function hasOtherAdmin(db: Db, id: string): Promise<boolean> {
  const other = await db
    .selectFrom('product_user')
    .select('id')
    .where('role', '=', 'admin' satisfies Role)
    .where('time_disabled', 'is', null)
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

export async function insertUser(transaction: Transaction, user: UserToInsert): Promise<void> {
  const now = timestamp()
  await transaction
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
  await insertWallets(transaction, user.id, user.wallets)
}

async function insertWallets(transaction: Transaction, id: string, addresses: string[]): Promise<void> {
  if (addresses.length === 0) return
  const wallets = addresses.map((address, position) => ({ user_id: id, position, address }))
  await transaction.insertInto('product_user_wallet').values(wallets).execute()
}

/** Converts a rule to JSON. null removes the stored rule, undefined keeps it. */
const toStoredRule = (where: object | null | undefined) => (where ? JSON.stringify(where) : where)

/** Changes the given fields of a profile, the role and the rule. The tokens of the user stay valid. */
export async function updateProfile(
  transaction: Transaction,
  { id, email }: StoredUser,
  { firstName, lastName, country, mobile, wallets, role, where }: Partial<UserToInsert>
): Promise<void> {
  const names = { first_name: firstName, last_name: lastName }
  const others = { country, mobile, role, template_where: toStoredRule(where) }
  await updateColumns(transaction, email, { ...names, ...others })
  if (wallets === undefined) return
  await transaction.deleteFrom('product_user_wallet').where('user_id', '=', id).execute()
  await insertWallets(transaction, id, wallets)
}

/** Deletes a user with the wallets and logins, which ends all tokens of the user. */
export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('product_user').where('id', '=', id).execute()
}

/** Finds a user who may still log in, and whose password and sessions have not ended since `tokenEpoch` was read. */
export async function findUnchangedUser(
  db: Db,
  { id, tokenEpoch }: Pick<StoredUser, 'id' | 'tokenEpoch'>
): Promise<StoredUser | undefined> {
  const user = await findUserById(db, id)
  return user?.tokenEpoch === tokenEpoch && !user.disabled ? user : undefined
}

/** Finds the password hash of the first user from an id on. Ids are random, so a random id finds a random user. */
export async function findPasswordHash(db: Db, leastId: string): Promise<string | undefined> {
  const hashes = db.selectFrom('product_user').select('password_hash').orderBy('id').limit(1)
  const row =
    (await hashes.where('id', '>=', leastId).executeTakeFirst()) ?? (await hashes.executeTakeFirst())
  return row?.password_hash
}

/** Replaces a hash by another hash of the same password, unless the password has changed since it was read. */
export async function replacePasswordHash(db: Db, id: string, from: string, to: string): Promise<void> {
  await db
    .updateTable('product_user')
    .set({ password_hash: to })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .execute()
}

/** Ends the access tokens, sessions and password links of a user: all have the epoch of their time. */
const nextEpoch = sql<number>`token_epoch + 1`

/** Replaces the password. The access tokens, sessions and password links of the user end. */
export const updatePassword = (db: Db, email: string, passwordHash: string): Promise<void> =>
  updateColumns(db, email, { password_hash: passwordHash, token_epoch: nextEpoch })

/** Ends the access tokens, sessions and password links of a user. `revokeFamilies` ends the refresh tokens. */
export const endTokens = (db: Db, email: string): Promise<void> =>
  updateColumns(db, email, { token_epoch: nextEpoch })

/** Disables or enables a user. Disabling ends the access tokens, sessions and password links for good. */
export const setUserDisabled = (db: Db, email: string, disabled: boolean): Promise<void> =>
  updateColumns(db, email, {
    time_disabled: disabled ? timestamp() : null,
    ...(disabled && { token_epoch: nextEpoch })
  })

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
