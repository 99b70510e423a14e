import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import type { IndexTables } from '../interface.ts'
import { insertEntries } from './index-entries.ts'
import { insertRows } from './insert-rows.ts'

/** Loads templates. In an empty store, their indexes are created last, which is faster than to update them row by row. */
export const loadTemplates: IndexTables['load'] = async (db, job) => {
  const indexes = (await isEmpty(db)) ? await dropIndexes(db) : []
  await job(async (templates, entries) => {
    await insertTemplates(db, templates)
    await storeHashes(db, templates)
    await insertEntries(db, entries)
  })
  for (const statement of indexes) await sql.raw(statement).execute(db)
}

/** Templates that plain SQL has deleted may still have traits; removing those needs the indexes. */
async function isEmpty(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 where exists (select 1 from product_template)
    or exists (select 1 from product_trait)`.execute(db)
  return rows.length === 0
}

/** Returns the statements that create the indexes again. */
async function dropIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'index' and sql is not null and tbl_name in ('product_template', 'product_trait')`.execute(
    db
  )
  for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(db)
  return rows.map(row => row.sql)
}

async function insertTemplates(db: Db, templates: ProductTemplateTable[]): Promise<void> {
  const columns = Object.keys(templates[0] ?? {}) as (keyof ProductTemplateTable)[]
  const values = templates.flatMap(template => columns.map(column => template[column]))
  await insertRows(db, `insert into product_template (${columns.join()})`, columns.length, values)
}

/** Completes the revisions that the triggers have recorded: SQLite itself cannot compute a SHA-256. */
async function storeHashes(db: Db, templates: ProductTemplateTable[]): Promise<void> {
  const hashes = Object.fromEntries(templates.map(({ id, data }) => [id, hash('sha256', data)]))
  await sql`update product_revision set hash = given.value
    from json_each(${JSON.stringify(hashes)}) as given cross join product_template
    where product_template.id = cast(given.key as integer) and template_id = product_template.id and number = revision and hash is null`.execute(
    db
  )
}
