import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry, IndexTables } from '../template-index.ts'
import { hashKey, selectNumbers, toStoredTerms } from './index-queries.ts'

/** Bytes that FTS5 collects before it writes a segment of its index. With large segments, fewer have to be merged. */
const ftsHashSize = 16_777_216

const idColumns: IndexTables['idColumns'] = {
  product_trait: 'template_id',
  product_search: 'rowid',
  product_search_name: 'rowid',
  product_search_trait: 'rowid'
}

export const sqliteIndex: IndexTables = {
  async create(transaction) {
    for (const table of ['product_search_vocabulary', ...Object.keys(idColumns), 'product_trait_type'])
      await sql`drop table if exists ${sql.table(table)}`.execute(transaction)
    await sql`create table product_trait_type (id integer primary key, type text not null unique)`.execute(
      transaction
    )
    await sql`create table product_trait (
      type_id integer not null, hash integer not null, template_id integer not null, key text not null,
      primary key (type_id, hash, template_id)
    ) without rowid`.execute(transaction)
    // In a table without rowid, an index also has the columns of the primary key.
    await sql`create index product_trait_template on product_trait (template_id, type_id)`.execute(
      transaction
    )
    await createSearch(transaction, 'product_search', sql`terms, detail=none, tokenize='ascii'`)
    await sql`create virtual table product_search_vocabulary using fts5vocab(product_search, row)`.execute(
      transaction
    )
    for (const table of ['product_search_name', 'product_search_trait'])
      await createSearch(transaction, table, trigrams)
  },

  idColumns,

  async write(transaction, { ids, statements, entries }) {
    const pending = sql`product_template_pending where template_id in (${selectNumbers(ids)})`
    const { rows } = await sql<{ id: number }>`select template_id as id from ${pending}`.execute(transaction)
    for (const statement of statements) await sql`${statement}`.execute(transaction)
    await replaceEntries(transaction, entries)
    const before = selectNumbers(rows.map(({ id }) => id))
    await sql`delete from ${pending} and template_id not in (${before})`.execute(transaction)
  },

  pendingKey: 'template_id',

  // Nothing to resume: `write` lets the triggers mark the templates and then removes the marks.
  resumeMarking: sql`null`,

  // Not needed, because no other transaction writes at the same time.
  lock: async () => true
}

/** Inserts or replaces the entries of templates, table by table, because SQLite caches the pages of a table. */
async function replaceEntries(db: Db, entries: IndexEntry[]): Promise<void> {
  const renamed = entries.filter(({ hasSameName }) => !hasSameName)
  const withNewTraits = entries.filter(({ hasSameTraits }) => !hasSameTraits)
  if (withNewTraits.length > 0) await replaceTraits(db, withNewTraits)
  await replaceTexts(db, 'product_search', 'terms', entries, ({ terms }) => toStoredTerms(terms))
  await replaceTexts(db, 'product_search_name', 'text', renamed, ({ foldedName }) => foldedName)
  await replaceTexts(db, 'product_search_trait', 'text', withNewTraits, ({ traits }) =>
    traits
      .filter(({ key }) => key.startsWith('S'))
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

/** Characters of texts per turn of the event loop, which take about 10 ms. */
const charactersPerTurn = 100_000

async function replaceTexts(
  db: Db,
  table: string,
  column: string,
  entries: IndexEntry[],
  toText: (entry: IndexEntry) => string
): Promise<void> {
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

/** Rows per statement and turn of the event loop, which take about 10 ms. A single document may have thousands. */
const rowsPerTurn = 2048

async function replaceTraits(db: Db, entries: IndexEntry[]): Promise<void> {
  await sql`delete from product_trait
    where template_id in (${selectNumbers(entries.map(({ id }) => id))})`.execute(db)
  const rows = entries.flatMap(({ id, traits }) =>
    // The hash is a text, because it has more digits than a number of JavaScript.
    traits.map(({ type, key }) => [type, `${hashKey(key)}`, id, key])
  )
  for (let start = 0; start < rows.length; start += rowsPerTurn) {
    if (start > 0) await setImmediate()
    await insertTraits(db, JSON.stringify(rows.slice(start, start + rowsPerTurn)))
  }
}

/** Inserts traits from a list of rows as JSON. A new name of a trait gets an id. */
async function insertTraits(db: Db, json: string): Promise<void> {
  await sql`insert into product_trait_type (type) select distinct value ->> 0 from json_each(${json})
    where true on conflict do nothing`.execute(db)
  await sql`insert or ignore into product_trait (type_id, hash, template_id, key)
    select product_trait_type.id, cast(value ->> 1 as integer), value ->> 2, value ->> 3
    from json_each(${json}) cross join product_trait_type on product_trait_type.type = value ->> 0`.execute(
    db
  )
}
