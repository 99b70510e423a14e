import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry } from '../engine.ts'
import { hashKey } from './hash-key.ts'
import { insertRows, toRow } from './insert-rows.ts'
import { toStoredTerms } from './search.ts'

/** Values of rows of traits that are inserted per turn of the event loop, some 10 ms. */
const valuesPerTurn = 4 * 2048

/** The texts of a template for search and `contains`. */
export interface IndexTexts {
  id: number
  terms: string
  name: string
  traits: string
}

/** Inserts the words of templates and their traits. */
export async function insertEntries(db: Db, entries: IndexEntry[]): Promise<void> {
  await insertTraits(db, 'product_trait', entries)
  await insertTexts(db, entries.map(toTexts))
}

export const toTexts = ({ id, terms, foldedName, traits }: IndexEntry): IndexTexts => ({
  id,
  terms: toStoredTerms(terms),
  name: foldedName,
  traits: traits.flatMap(({ key }) => (key.startsWith('S') ? [key.slice(1)] : [])).join('\n')
})

/** Inserts texts: those of one table after those of the other. */
export async function insertTexts(db: Db, texts: IndexTexts[]): Promise<void> {
  const insert = (target: string, part: 'terms' | 'name' | 'traits') => {
    const members = Object.fromEntries(texts.map(text => [text.id, text[part]]))
    const statement = `insert into ${target} select cast(key as integer), value from json_each(?)`
    return db.executeQuery(CompiledQuery.raw(statement, [JSON.stringify(members)]))
  }
  await insert('product_search (rowid, terms)', 'terms')
  await insert('product_search_name (rowid, text)', 'name')
  await insert('product_search_trait (rowid, text)', 'traits')
}

/** Inserts traits into a table, which is `product_trait` or has its columns. */
export async function insertTraits(db: Db, table: string, entries: IndexEntry[]): Promise<void> {
  const ids = await findTypeIds(db, new Set(entries.flatMap(({ traits }) => traits.map(({ type }) => type))))
  const insert = `insert or ignore into ${table} (type_id, hash, template_id, key)`
  const row = toRow(4)
  let values: unknown[] = []
  for (const { id, traits } of entries)
    for (const { type, key } of traits) {
      values.push(ids.get(type), hashKey(key), id, key)
      if (values.length < valuesPerTurn) continue
      await insertRows(db, insert, row, values)
      values = []
      // A single document may have thousands, and the driver is synchronous.
      await setImmediate()
    }
  await insertRows(db, insert, row, values)
}

/** Returns the ids of the names of traits, and gives one to a name that has none. */
async function findTypeIds(db: Db, types: Set<string>): Promise<Map<string, number>> {
  const list = sql`select value from json_each(${JSON.stringify([...types])})`
  await sql`insert into product_trait_type (type) ${list} where true on conflict do nothing`.execute(db)
  const { rows } = await sql<{ id: number; type: string }>`
    select id, type from product_trait_type where type in (${list})`.execute(db)
  return new Map(rows.map(({ id, type }) => [type, id]))
}
