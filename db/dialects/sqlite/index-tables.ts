import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry, IndexTables } from '../engine.ts'
import { toStoredTerms } from './search.ts'

/** Rows per insert. Each has seven parameters; SQLite allows 32,766. */
const batchSize = 2000

export const sqliteIndex: IndexTables = {
  async create(db) {
    await dropTables(db)
    await sql`create table product_trait (
      type text not null, key text not null, template_id integer not null,
      position integer not null, element integer not null, value text,
      primary key (type, key, template_id, position, element)
    ) without rowid`.execute(db)
    await sql`create index product_trait_template on product_trait (template_id, type, key)`.execute(db)
    await sql`create virtual table product_search using fts5(
      terms, detail=none, tokenize='ascii'
    )`.execute(db)
    await sql`create virtual table product_search_vocabulary using fts5vocab(product_search, row)`.execute(db)
    for (const parts of ['name', 'trait']) {
      await sql`create virtual table ${sql.table(`product_search_${parts}`)} using fts5(
        text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
      )`.execute(db)
    }
  },

  async insert(db, entries) {
    const traits = entries.flatMap(({ id, traits }) => traits.map(trait => ({ template_id: id, ...trait })))
    for (let start = 0; start < traits.length; start += batchSize)
      await db
        .insertInto('product_trait')
        .values(traits.slice(start, start + batchSize))
        .execute()
    for (const entry of entries) await insertTexts(db, entry)
  },

  remove: (db, ids) => removeWhere(db, id => sql`${id} in (${numbers(ids)})`),
  removeBetween: (db, above, upTo) => removeWhere(db, id => sql`${id} > ${above} and ${id} <= ${upTo}`),

  async write(db, ids, job) {
    await job()
    await sql`delete from product_template_pending where template_id in (${numbers(ids)})`.execute(db)
  },

  async takePending(db, limit) {
    const { rows } = await sql<{ id: number }>`delete from product_template_pending where template_id in (
      select template_id from product_template_pending order by template_id limit ${limit}
    ) returning template_id as id`.execute(db)
    return rows.map(({ id }) => id)
  },

  // Not needed: only one transaction writes at a time.
  lock: async () => true
}

async function insertTexts(db: Db, { id, terms, foldedName, traitTexts }: IndexEntry): Promise<void> {
  const texts = traitTexts.join('\n')
  await sql`insert into product_search (rowid, terms) values (${id}, ${toStoredTerms(terms)})`.execute(db)
  await sql`insert into product_search_name (rowid, text) values (${id}, ${foldedName})`.execute(db)
  await sql`insert into product_search_trait (rowid, text) values (${id}, ${texts})`.execute(db)
}

async function removeWhere(
  db: Db,
  condition: (id: RawBuilder<number>) => RawBuilder<unknown>
): Promise<void> {
  await sql`delete from product_trait where ${condition(sql.ref('template_id'))}`.execute(db)
  for (const table of ['product_search', 'product_search_name', 'product_search_trait'])
    await sql`delete from ${sql.table(table)} where ${condition(sql.ref('rowid'))}`.execute(db)
}

async function dropTables(db: Db): Promise<void> {
  // From version 0, before the index was derived.
  await sql`drop trigger if exists product_template_unsearch`.execute(db)
  for (const table of ['vocabulary', 'name', 'trait'].map(part => `product_search_${part}`))
    await sql`drop table if exists ${sql.table(table)}`.execute(db)
  await sql`drop table if exists product_search`.execute(db)
  await sql`drop table if exists product_trait`.execute(db)
}

/** Selects numbers from one parameter, so that one prepared statement serves any number of them. */
const numbers = (values: number[]): RawBuilder<number> =>
  sql`select value from json_each(${JSON.stringify(values)})`
