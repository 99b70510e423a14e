import type { Db, Row } from '../schema.ts'
import { type StoredUser, toUser } from './users.ts'

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
