import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry, IndexTables, TraitEntry } from '../template-index.ts'
import { hashKey, selectNumbers, toStoredTerms } from './index-queries.ts'

/** The tables of FTS5. */
const searchTables = ['product_search', 'product_search_name', 'product_search_trait']

/** Bytes that FTS5 collects before it writes a segment of its index. With large segments, fewer have to be merged. */
const ftsHashSize = 16_777_216

export const sqliteIndex: IndexTables = {
  async create(db) {
    await dropTables(db)
    await sql`create table product_trait_type (id integer primary key, type text not null unique)`.execute(db)
    await sql`create table product_trait (
      type_id integer not null, hash integer not null, template_id integer not null, key text not null,
      primary key (type_id, hash, template_id)
    ) without rowid`.execute(db)
    // In a table without rowid, an index also has the columns of the primary key.
    await sql`create index product_trait_template on product_trait (template_id, type_id)`.execute(db)
    await createSearch(db, 'product_search', sql`terms, detail=none, tokenize='ascii'`)
    await sql`create virtual table product_search_vocabulary using fts5vocab(product_search, row)`.execute(db)
    for (const table of ['product_search_name', 'product_search_trait'])
      await createSearch(db, table, trigrams)
  },

  async removeDeleted(db, among) {
    const within = (id: RawBuilder<number>) =>
      Array.isArray(among)
        ? sql`${id} in (${selectNumbers(among)})`
        : sql`${id} > ${among.above} and ${id} <= ${among.upTo}`
    const stored = sql`select id from product_template where ${within(sql.ref('id'))}`
    const isGone = (id: RawBuilder<number>) => sql`${within(id)} and ${id} not in (${stored})`
    await sql`delete from product_trait where ${isGone(sql.ref('template_id'))}`.execute(db)
    for (const table of searchTables)
      await sql`delete from ${sql.table(table)} where ${isGone(sql.ref('rowid'))}`.execute(db)
  },

  async write(db, { ids, statements, entries }) {
    const pending = sql`product_template_pending where template_id in (${selectNumbers(ids)})`
    const { rows } = await sql<{ id: number }>`select template_id as id from ${pending}`.execute(db)
    for (const statement of statements) await sql`${statement}`.execute(db)
    await replaceEntries(db, entries)
    const before = selectNumbers(rows.map(({ id }) => id))
    await sql`delete from ${pending} and template_id not in (${before})`.execute(db)
  },

  // Nothing to resume: `write` lets the triggers mark the templates and then removes the marks.
  resumeMarking: sql`null`,

  async takePending(db, limit) {
    const { rows } = await sql<{ id: number }>`delete from product_template_pending where template_id in (
      select template_id from product_template_pending order by template_id limit ${limit}
    ) returning template_id as id`.execute(db)
    return rows.map(({ id }) => id)
  },

  // Not needed, because no other transaction writes at the same time.
  lock: async () => true
}

/** Inserts or replaces the entries of templates. */
async function replaceEntries(db: Db, entries: IndexEntry[]): Promise<void> {
  const renamed = entries.filter(({ hasSameName }) => !hasSameName)
  const withTexts = entries.filter(
    ({ changedTraits: changed }) => !changed || changed.removed.some(isText) || changed.added.some(isText)
  )
  await replaceTraits(db, entries)
  // Writes table by table, because SQLite caches the pages of a table.
  await replaceTexts(db, 'product_search', 'terms', entries, ({ terms }) => toStoredTerms(terms))
  await replaceTexts(db, 'product_search_name', 'text', renamed, ({ foldedName }) => foldedName)
  await replaceTexts(db, 'product_search_trait', 'text', withTexts, ({ traits }) =>
    traits
      .filter(isText)
      .map(({ key }) => key.slice(1))
      .join('\n')
  )
}

const trigrams = sql`text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'`

async function createSearch(db: Db, name: string, options: RawBuilder<unknown>): Promise<void> {
  const table = sql.table(name)
  await sql`create virtual table ${table} using fts5(${options})`.execute(db)
  await sql`insert into ${table} (${table}, rank) values ('hashsize', ${sql.lit(ftsHashSize)})`.execute(db)
}

async function dropTables(db: Db): Promise<void> {
  for (const table of ['vocabulary', 'name', 'trait'].map(part => `product_search_${part}`))
    await sql`drop table if exists ${sql.table(table)}`.execute(db)
  for (const table of ['product_search', 'product_trait', 'product_trait_type'])
    await sql`drop table if exists ${sql.table(table)}`.execute(db)
}

/** Characters of texts per turn of the event loop, which take about 10 ms. */
const charactersPerTurn = 100_000

async function replaceTexts(
  db: Db,
  table: string,
  column: string,
  entries: IndexEntry[],
  toText: (entry: IndexEntry) => string
): Promise<void> {
  if (entries.length === 0) return
  // Runs a statement for each row, in the order of the ids. FTS5 writes a segment of its index whenever a statement
  // with several rows begins, or an id is not greater than the last one.
  const statement = `insert or replace into ${table} (rowid, ${column}) values (?, ?)`
  let left = charactersPerTurn
  for (const entry of entries) {
    const text = toText(entry)
    await db.executeQuery(CompiledQuery.raw(statement, [entry.id, text]))
    left -= text.length
    if (left > 0) continue
    await setImmediate()
    left = charactersPerTurn
  }
}

async function replaceTraits(db: Db, entries: IndexEntry[]): Promise<void> {
  const unknown = entries.filter(({ changedTraits }) => !changedTraits).map(({ id }) => id)
  if (unknown.length > 0)
    await sql`delete from product_trait where template_id in (${selectNumbers(unknown)})`.execute(db)
  const toRows = (id: number, traits: TraitEntry[]) => traits.map(trait => ({ id, ...trait }))
  const removed = entries.flatMap(({ id, changedTraits }) => toRows(id, changedTraits?.removed ?? []))
  const added = entries.flatMap(({ id, traits, changedTraits }) => toRows(id, changedTraits?.added ?? traits))
  if (removed.length + added.length === 0) return
  const types = await findTypeIds(db, new Set([...removed, ...added].map(({ type }) => type)))
  const place = ({ id, type, key }: (typeof added)[number]) => [types.get(type), hashKey(key), id]
  await runForRows(
    db,
    'delete from product_trait where (type_id, hash, template_id) in (values (?, ?, ?))',
    removed,
    place
  )
  await runForRows(
    db,
    'insert or ignore into product_trait (type_id, hash, template_id, key) values (?, ?, ?, ?)',
    added,
    entry => [...place(entry), entry.key]
  )
}

const isText = ({ key }: TraitEntry): boolean => key.startsWith('S')

/** Returns the ids of the names of traits. A new name gets an id. */
async function findTypeIds(db: Db, types: Set<string>): Promise<Map<string, number>> {
  const list = sql`select value from json_each(${JSON.stringify([...types])})`
  await sql`insert into product_trait_type (type) ${list} where true on conflict do nothing`.execute(db)
  const { rows } = await sql<{ id: number; type: string }>`
    select id, type from product_trait_type where type in (${list})`.execute(db)
  return new Map(rows.map(({ id, type }) => [type, id]))
}

/** Rows per statement. There are few sizes, so that each statement is prepared once. */
const batchSizes = [64, 8, 1]

/** Rows per turn of the event loop, which take about 10 ms. A single document may have thousands of rows. */
const rowsPerTurn = 2048

/**
 * Runs a statement for many rows. The given text ends with the placeholders of one row. The text is plain SQL, because
 * Kysely takes longer to build a statement than SQLite to run it.
 */
async function runForRows<Row>(
  db: Db,
  statement: string,
  rows: Row[],
  toValues: (row: Row) => unknown[]
): Promise<void> {
  let start = 0
  for (const size of batchSizes) {
    const text = statement.replace(/\([?, ]+\)/, row => Array(size).fill(row).join())
    for (; rows.length - start >= size; start += size) {
      await db.executeQuery(CompiledQuery.raw(text, rows.slice(start, start + size).flatMap(toValues)))
      if ((start + size) % rowsPerTurn === 0) await setImmediate()
    }
  }
}
