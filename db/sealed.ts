/** The stored keys that KEY_ENCRYPTION_SECRET encrypts: those that sign tokens, and those of features. */
import { affectsRows } from './affects-rows.ts'
import type { AnyDb } from './schema.ts'
import type { Tables } from './tables.ts'

interface SealedColumn {
  table: string
  column: string
}

export const signingKeyColumn: SealedColumn = { table: 'product_signing_key', column: 'private_jwk' }

export interface SealedKey extends SealedColumn {
  /** The id of the row. */
  id: string
  /** A JWK, or a JWE of one. */
  sealed: string
}

/** Lists the names of the tables that have such keys. */
export const listSealedTables = (tables: Tables): string[] =>
  Object.keys(tables).filter(table => tables[table]?.sealed)

/** Lists the keys in these tables, each with the action that records a new encryption. */
export async function listSealedKeys(db: AnyDb, tables: Tables): Promise<(SealedKey & { action: string })[]> {
  const columns = Object.entries(tables).flatMap(([table, { sealed }]) =>
    (sealed?.columns ?? []).map(column => ({ table, column, action: sealed?.action ?? '' }))
  )
  const found = columns.map(async each => {
    const rows = await db
      .selectFrom(each.table)
      .select(['id', `${each.column} as sealed`])
      .where(each.column, 'is not', null)
      .orderBy('id')
      .execute()
    return rows.map(row => ({ ...each, id: row.id as string, sealed: row.sealed as string }))
  })
  return (await Promise.all(found)).flat()
}

/** Replaces the stored form of a key by another form. Returns false if it has changed since it was read. */
export const replaceSealedKey = (
  db: AnyDb,
  { table, column, id, sealed }: SealedKey,
  to: string
): Promise<boolean> =>
  affectsRows(
    db
      .updateTable(table)
      .set({ [column]: to })
      .where('id', '=', id)
      .where(column, '=', sealed)
  )
