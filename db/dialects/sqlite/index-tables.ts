import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexTables } from '../interface.ts'
import { insertEntries, loadTemplates } from './index-entries.ts'
import { selectNumbers } from './numbers.ts'

/** The tables of FTS5. */
const searchTables = ['product_search', 'product_search_name', 'product_search_trait']

/** FTS5 collects this many bytes before it writes a part of its index. Large parts are few, and few have to be merged. */
const ftsHashSize = 16_777_216

/** The index on SQLite. */
export const sqliteIndex: IndexTables = {
  async create(db) {
    await dropTables(db)
    await sql`create table product_trait_type (id integer primary key, type text not null unique)`.execute(db)
    await sql`create table product_trait (
      type_id integer not null, hash integer not null, template_id integer not null, key text not null,
      primary key (type_id, hash, template_id)
    ) without rowid`.execute(db)
    // Without a rowid, an index ends with the columns of the key.
    await sql`create index product_trait_template on product_trait (template_id, type_id)`.execute(db)
    await createSearch(db, 'product_search', sql`terms, detail=none, tokenize='ascii'`)
    await sql`create virtual table product_search_vocabulary using fts5vocab(product_search, row)`.execute(db)
    for (const table of ['product_search_name', 'product_search_trait'])
      await createSearch(db, table, trigrams)
  },

  insert: insertEntries,

  load: loadTemplates,

  remove: (db, ids) => removeWhere(db, id => sql`${id} in (${selectNumbers(ids)})`),
  removeStale(db, locked, among) {
    const within = (id: RawBuilder<number>) =>
      Array.isArray(among)
        ? sql`${id} in (${selectNumbers(among)})`
        : sql`${id} > ${among.above} and ${id} <= ${among.upTo}`
    const stored = sql`select id from product_template where ${within(sql.ref('id'))}`
    return removeWhere(
      db,
      id => sql`${within(id)} and (${id} in (${selectNumbers(locked)}) or ${id} not in (${stored}))`
    )
  },

  async write(db, ids, job) {
    await job()
    await sql`delete from product_template_pending where template_id in (${selectNumbers(ids)})`.execute(db)
  },

  async takePending(db, limit) {
    const { rows } = await sql<{ id: number }>`delete from product_template_pending where template_id in (
      select template_id from product_template_pending order by template_id limit ${limit}
    ) returning template_id as id`.execute(db)
    return rows.map(({ id }) => id)
  },

  // Not needed: no other transaction writes at the same time.
  lock: async () => true
}

const trigrams = sql`text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'`

async function createSearch(db: Db, name: string, options: RawBuilder<unknown>): Promise<void> {
  const table = sql.table(name)
  await sql`create virtual table ${table} using fts5(${options})`.execute(db)
  await sql`insert into ${table} (${table}, rank) values ('hashsize', ${sql.lit(ftsHashSize)})`.execute(db)
}

async function removeWhere(
  db: Db,
  condition: (id: RawBuilder<number>) => RawBuilder<unknown>
): Promise<void> {
  await sql`delete from product_trait where ${condition(sql.ref('template_id'))}`.execute(db)
  for (const table of searchTables)
    await sql`delete from ${sql.table(table)} where ${condition(sql.ref('rowid'))}`.execute(db)
}

async function dropTables(db: Db): Promise<void> {
  // Only databases of before 0006 have it.
  await sql`drop trigger if exists product_template_unsearch`.execute(db)
  for (const table of ['vocabulary', 'name', 'trait'].map(part => `product_search_${part}`))
    await sql`drop table if exists ${sql.table(table)}`.execute(db)
  for (const table of ['product_search', 'product_trait', 'product_trait_type'])
    await sql`drop table if exists ${sql.table(table)}`.execute(db)
}
