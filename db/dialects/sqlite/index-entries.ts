import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry } from '../interface.ts'
import { hashKey } from './hash-key.ts'
import { insertRows } from './insert-rows.ts'
import { toStoredTerms } from './search.ts'

/** Values of rows of traits that are inserted per turn of the event loop, some 10 ms. */
const valuesPerTurn = 4 * 2048

/** Inserts the words of templates and their traits. */
export async function insertEntries(db: Db, entries: IndexEntry[]): Promise<void> {
  await insertTraits(db, entries)
  // Those of one table after those of the other: SQLite caches their pages.
  await insertTexts(db, 'product_search (rowid, terms)', entries, ({ terms }) => toStoredTerms(terms))
  await insertTexts(db, 'product_search_name (rowid, text)', entries, ({ foldedName }) => foldedName)
  await insertTexts(db, 'product_search_trait (rowid, text)', entries, ({ traits }) =>
    traits.flatMap(({ key }) => (key.startsWith('S') ? [key.slice(1)] : [])).join('\n')
  )
}

async function insertTexts(
  db: Db,
  target: string,
  entries: IndexEntry[],
  toText: (entry: IndexEntry) => string
): Promise<void> {
  const texts = Object.fromEntries(entries.map(entry => [entry.id, toText(entry)]))
  const statement = `insert into ${target} select cast(key as integer), value from json_each(?)`
  await db.executeQuery(CompiledQuery.raw(statement, [JSON.stringify(texts)]))
}

async function insertTraits(db: Db, entries: IndexEntry[]): Promise<void> {
  const ids = await findTypeIds(db, new Set(entries.flatMap(({ traits }) => traits.map(({ type }) => type))))
  const insert = 'insert or ignore into product_trait (type_id, hash, template_id, key)'
  let values: unknown[] = []
  for (const { id, traits } of entries)
    for (const { type, key } of traits) {
      values.push(ids.get(type), hashKey(key), id, key)
      if (values.length < valuesPerTurn) continue
      await insertRows(db, insert, 4, values)
      values = []
      // A single document may have thousands, and the driver is synchronous.
      await setImmediate()
    }
  await insertRows(db, insert, 4, values)
}

/** Returns the ids of the names of traits, and gives one to a name that has none. */
async function findTypeIds(db: Db, types: Set<string>): Promise<Map<string, number>> {
  const list = sql`select value from json_each(${JSON.stringify([...types])})`
  await sql`insert into product_trait_type (type) ${list} where true on conflict do nothing`.execute(db)
  const { rows } = await sql<{ id: number; type: string }>`
    select id, type from product_trait_type where type in (${list})`.execute(db)
  return new Map(rows.map(({ id, type }) => [type, id]))
}
