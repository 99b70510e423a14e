import { sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry } from '../engine.ts'
import { insertTraits } from './index-entries.ts'
import { createTraitTable } from './trait-table.ts'

/** The traits of a load in the order in which they come, and sorted. */
const collected = 'product_trait_load'
const sorted = 'product_trait_sorted'

export async function createTraitLoad(db: Db): Promise<void> {
  await sql`create temp table ${sql.table(collected)} (type_id integer, hash integer, template_id integer, key text)`.execute(
    db
  )
}

export const collectTraits = (db: Db, entries: IndexEntry[]): Promise<void> =>
  insertTraits(db, collected, entries)

/** Sorts the collected traits into `product_trait`. */
export async function insertSortedTraits(db: Db, isEmpty: boolean): Promise<void> {
  if (!isEmpty) await insertSorted(db, 'product_trait')
  else {
    await createTraitTable(db, `temp.${sorted}`)
    await insertSorted(db, `temp.${sorted}`)
    // SQLite copies the pages of a table with the same definition in their order, and fills each; inserts leave an eighth
    // of a page free.
    await sql`insert into main.product_trait select * from ${sql.table(`temp.${sorted}`)}`.execute(db)
    await sql`drop table ${sql.table(`temp.${sorted}`)}`.execute(db)
  }
  await sql`drop table ${sql.table(`temp.${collected}`)}`.execute(db)
}

async function insertSorted(db: Db, table: string): Promise<void> {
  await sql`insert or ignore into ${sql.table(table)} (type_id, hash, template_id, key)
    select type_id, hash, template_id, key from ${sql.table(`temp.${collected}`)} order by type_id, hash, template_id`.execute(
    db
  )
}
