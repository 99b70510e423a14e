import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexTables } from '../engine.ts'

/** Rows per insert. Each has seven parameters; PostgreSQL allows 65,535. */
const batchSize = 2000
/** Key of the advisory lock: "prindex" in ASCII. */
const indexLock = sql.lit(0x7072696e646578)

export const postgresIndex: IndexTables = {
  async create(db) {
    await sql`drop table if exists product_trait, product_search`.execute(db)
    await sql`create table product_trait (
      type text collate "C" not null, key text collate "C" not null, template_id integer not null,
      position integer not null, element integer not null, value text collate "C",
      constraint product_trait_key primary key (type, key, template_id, position, element)
    )`.execute(db)
    await sql`create index product_trait_template on product_trait (template_id, type, key)`.execute(db)
    await sql`create table product_search (template_id integer primary key, terms tsvector not null)`.execute(
      db
    )
    await sql`create index product_search_terms on product_search using gin (terms)`.execute(db)
  },

  async insert(db, entries) {
    if (entries.length === 0) return
    const traits = entries.flatMap(({ id, traits }) => traits.map(trait => ({ template_id: id, ...trait })))
    for (let start = 0; start < traits.length; start += batchSize)
      await db
        .insertInto('product_trait')
        .values(traits.slice(start, start + batchSize))
        .execute()
    const rows = entries.map(({ id, terms }) => sql`(${id}::integer, array_to_tsvector(${terms}::text[]))`)
    await sql`insert into product_search (template_id, terms) values ${sql.join(rows)}`.execute(db)
  },

  remove: (db, ids) => removeWhere(db, sql`template_id = any(${ids}::integer[])`),
  removeBetween: (db, above, upTo) => removeWhere(db, sql`template_id > ${above} and template_id <= ${upTo}`),

  async write(db, _ids, job) {
    await setIndexing(db, 'on')
    await job()
    await setIndexing(db, 'off')
  },

  async takePending(db, limit) {
    const { rows } = await sql<{ id: number }>`delete from product_template_pending where mark in (
      select mark from product_template_pending order by mark limit ${limit}
    ) returning template_id as id`.execute(db)
    return [...new Set(rows.map(({ id }) => id))]
  },

  async lock(transaction) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${indexLock}) as locked`.execute(transaction)
    return rows[0]?.locked ?? false
  }
}

/** While this is on, the triggers of `product_template` mark nothing. */
const setIndexing = (db: Db, value: 'on' | 'off') =>
  sql`select set_config('product_templates.indexing', ${value}, true)`.execute(db)

async function removeWhere(db: Db, condition: RawBuilder<unknown>): Promise<void> {
  for (const table of ['product_trait', 'product_search'])
    await sql`delete from ${sql.table(table)} where ${condition}`.execute(db)
}
