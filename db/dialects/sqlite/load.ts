import { sql } from 'kysely'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import type { IndexTables } from '../engine.ts'
import { type IndexTexts, insertTexts, insertTraits, toTexts } from './index-entries.ts'
import { insertRows } from './insert-rows.ts'

/** Templates whose texts are inserted at once. FTS5 writes what it has collected before any other kind of insert. */
const textsAtOnce = 500

/** Sorts the traits before it inserts them, and creates the indexes of an empty store last. */
export const loadTemplates: IndexTables['load'] = async (db, job) => {
  const { rows } = await sql`select 1 from product_template limit 1`.execute(db)
  await sql`create temp table product_trait_load (type_id integer, hash integer, template_id integer, key text)`.execute(
    db
  )
  const indexes = rows.length === 0 ? await dropIndexes(db) : []
  const texts: IndexTexts[] = []
  await job(async (templates, entries) => {
    await insertTemplates(db, templates)
    await insertTraits(db, 'product_trait_load', entries)
    texts.push(...entries.map(toTexts))
    if (texts.length >= textsAtOnce) await insertTexts(db, texts.splice(0))
  })
  await insertTexts(db, texts)
  await sql`insert or ignore into product_trait (type_id, hash, template_id, key)
    select type_id, hash, template_id, key from product_trait_load order by type_id, hash, template_id`.execute(
    db
  )
  await sql`drop table product_trait_load`.execute(db)
  for (const statement of indexes) await sql.raw(statement).execute(db)
}

/** Drops the indexes of templates and traits; returns the statements that create them. */
async function dropIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'index' and tbl_name in ('product_template', 'product_trait') and sql is not null`.execute(
    db
  )
  for (const { name } of rows) await sql`drop index ${sql.table(name)}`.execute(db)
  return rows.map(row => row.sql)
}

async function insertTemplates(db: Db, templates: ProductTemplateTable[]): Promise<void> {
  const columns = Object.keys(templates[0] ?? {}) as (keyof ProductTemplateTable)[]
  const values = templates.flatMap(template => columns.map(column => template[column]))
  await insertRows(db, `insert into product_template (${columns.join()})`, columns.length, values)
}
