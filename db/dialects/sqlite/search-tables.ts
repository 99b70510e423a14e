import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../schema.ts'

/** The tables of FTS5. */
export const searchTables = ['product_search', 'product_search_name', 'product_search_trait']

/** FTS5 collects this many bytes before it writes a part of its index. Large parts are few, and few have to be merged. */
export const ftsHashSize = 16_777_216

export async function createSearch(db: Db, name: string, options: RawBuilder<unknown>): Promise<void> {
  await sql`create virtual table ${sql.table(name)} using fts5(${options})`.execute(db)
  await configureSearch(db, name, 'hashsize', ftsHashSize)
}

/** Changes an option that the table stores. */
export async function configureSearch(
  db: Db,
  name: string,
  option: 'automerge' | 'hashsize',
  value: number
): Promise<void> {
  const table = sql.table(name)
  await sql`insert into ${table} (${table}, rank) values (${option}, ${sql.lit(value)})`.execute(db)
}
