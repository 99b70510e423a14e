import { CompiledQuery, sql } from 'kysely'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import { toIndexEntry } from '../../templates/index/entries.ts'
import { hashOf } from '../../templates/table/document-hash.ts'
import { timestamp } from '../../timestamp.ts'
import type { IndexTables } from '../engine.ts'
import { SqliteFileAdapter } from './dialect.ts'
import { toTexts } from './index-entries.ts'
import { insertRows, toRow } from './insert-rows.ts'
import { loadTexts } from './load-texts.ts'
import { collectTraits, createTraitLoad, insertSortedTraits } from './load-traits.ts'

/** KiB. SQLite sorts as much at once as fits into its page cache, faster if that also fits into a processor's. */
const sortCache = 2000

/** What an empty store does without while it is loaded: not the key of revisions, by which free ids are found. */
const templateIndexes = `type = 'index' and tbl_name = 'product_template'`
const traitIndexes = `type = 'index' and tbl_name = 'product_trait'`
/** Each of these triggers works on one row. */
const revisionIndexes = `type = 'index' and tbl_name = 'product_revision' and name <> 'product_revision_key'
  or name in ('product_template_created', 'product_template_replaced', 'product_version_template_insert')`
/** All that is inserted is indexed. */
const pendingTrigger = `name = 'product_template_inserted'`

/**
 * Sorts the traits before it inserts them, records revisions with their hashes, and creates the indexes and triggers of
 * an empty store last.
 */
export const loadTemplates: IndexTables['load'] = async (db, job) => {
  const hasTemplates = await hasRows(db, 'product_template')
  // Templates that plain SQL has deleted may still have traits; removing those needs the indexes.
  const hasTraits = hasTemplates || (await hasRows(db, 'product_trait'))
  const hasHistory = hasTemplates || (await hasRows(db, 'product_revision'))
  await createTraitLoad(db)
  const dropped = [
    ...(hasTemplates ? [] : await drop(db, `${templateIndexes} or ${pendingTrigger}`)),
    ...(hasTraits ? [] : await drop(db, traitIndexes)),
    ...(hasHistory ? [] : await drop(db, revisionIndexes))
  ]
  await loadTexts(db, collectTexts =>
    job(async templates => {
      await insertTemplates(db, templates)
      await (hasHistory ? storeHashes(db, templates) : insertRevisions(db, templates))
      const entries = templates.map(toIndexEntry)
      await collectTraits(db, entries)
      await collectTexts(entries.map(toTexts))
    })
  )
  await withSortCache(db, async () => {
    await insertSortedTraits(db, !hasTraits)
    for (const statement of dropped) await sql.raw(statement).execute(db)
  })
  if (!hasHistory)
    await sql`update product_version set value = hex(randomblob(16)) where name = 'templates'`.execute(db)
}

/** Runs a job that sorts. */
async function withSortCache(db: Db, job: () => Promise<void>): Promise<void> {
  const { adapter } = db.getExecutor()
  await (adapter instanceof SqliteFileAdapter ? adapter.withCache(sortCache, job) : job())
}

async function hasRows(db: Db, table: string): Promise<boolean> {
  return (await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)).rows.length > 0
}

/** Drops indexes and triggers; returns the statements that create them. */
async function drop(db: Db, condition: string): Promise<string[]> {
  const { rows } = await sql<{ type: string; name: string; sql: string }>`select type, name, sql
    from sqlite_master where sql is not null and (${sql.raw(condition)})`.execute(db)
  for (const { type, name } of rows) await sql`drop ${sql.raw(type)} ${sql.id(name)}`.execute(db)
  return rows.map(row => row.sql)
}

/** Records the first revisions of templates, as the triggers would. */
async function insertRevisions(db: Db, templates: ProductTemplateTable[]): Promise<void> {
  const time = timestamp()
  const values = templates.flatMap(({ id, revision = 1, data }) => [id, revision, hashOf(data), time])
  const insert = 'insert into product_revision (template_id, number, action, hash, time_recorded)'
  await insertRows(db, insert, "(?, ?, 'CREATE', ?, ?)", values)
}

/** Completes the revisions that the triggers have recorded. */
async function storeHashes(db: Db, templates: ProductTemplateTable[]): Promise<void> {
  const update = `update product_revision set hash = ? where template_id = ? and hash is null
    and number = (select revision from product_template where id = template_id)`
  for (const { id, data } of templates) await db.executeQuery(CompiledQuery.raw(update, [hashOf(data), id]))
}

async function insertTemplates(db: Db, templates: ProductTemplateTable[]): Promise<void> {
  const columns = Object.keys(templates[0] ?? {}) as (keyof ProductTemplateTable)[]
  const values = templates.flatMap(template => columns.map(column => template[column]))
  await insertRows(db, `insert into product_template (${columns.join()})`, toRow(columns.length), values)
}
