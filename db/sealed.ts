/** The stored keys that KEY_ENCRYPTION_SECRET encrypts: those that sign tokens, and those of features. */
import { features } from '../features/load.ts'
import { affectsRows } from './affects-rows.ts'
import type { AnyDb } from './schema.ts'

interface SealedColumn {
  table: string
  column: string
  /** The action that records a new encryption. */
  action: string
}

const columnsOfFeatures = features.flatMap(({ tables = {} }) =>
  Object.entries(tables).flatMap(([table, { sealed }]) =>
    (sealed?.columns ?? []).map((column): SealedColumn => ({ table, column, action: sealed?.action ?? '' }))
  )
)

export const signingKeyColumn: SealedColumn = {
  table: 'product_signing_key',
  column: 'private_jwk',
  action: 'key.reencrypt'
}

const columns = [signingKeyColumn, ...columnsOfFeatures]

/** The tables that have such keys. */
export const sealedTables = [...new Set(columns.map(({ table }) => table))]

export interface SealedKey extends SealedColumn {
  /** The id of the row. */
  id: string
  /** A JWK, or a JWE of one. */
  sealed: string
}

/** Lists all of them. */
export async function listSealedKeys(db: AnyDb): Promise<SealedKey[]> {
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
