import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry } from '../engine.ts'
import { hashKey } from './hash-key.ts'
import { insertRows } from './insert-rows.ts'
import { toStoredTerms } from './search.ts'

/** Inserts the texts that search and `contains` look up: those of one table after those of the other. */
export async function insertTexts(db: Db, entries: IndexEntry[]): Promise<void> {
  const insert = (target: string, toText: (entry: IndexEntry) => string) => {
    const rows = entries.map(entry => [entry.id, toText(entry)])
    const text = `insert into ${target} select value ->> 0, value ->> 1 from json_each(?)`
    return db.executeQuery(CompiledQuery.raw(text, [JSON.stringify(rows)]))
  }
  await insert('product_search (rowid, terms)', ({ terms }) => toStoredTerms(terms))
  await insert('product_search_name (rowid, text)', ({ foldedName }) => foldedName)
  await insert('product_search_trait (rowid, text)', ({ traits }) =>
    traits.flatMap(({ key }) => (key.startsWith('S') ? [key.slice(1)] : [])).join('\n')
  )
}

/** Inserts traits into a table, which is `product_trait` or has its columns. */
export async function insertTraits(db: Db, table: string, entries: IndexEntry[]): Promise<void> {
  const types = await findTypeIds(
    db,
    new Set(entries.flatMap(({ traits }) => traits.map(({ type }) => type)))
  )
  const values: unknown[] = []
  for (const { id, traits } of entries)
    for (const { type, key } of traits) values.push(types.get(type), hashKey(key), id, key)
  await insertRows(db, `insert or ignore into ${table} (type_id, hash, template_id, key)`, 4, values)
}

/** Returns the ids of the names of traits, and gives one to a name that has none. */
async function findTypeIds(db: Db, types: Set<string>): Promise<Map<string, number>> {
  const list = sql`select value from json_each(${JSON.stringify([...types])})`
  await sql`insert into product_trait_type (type) ${list} where true on conflict do nothing`.execute(db)
  const { rows } = await sql<{ id: number; type: string }>`
    select id, type from product_trait_type where type in (${list})`.execute(db)
  return new Map(rows.map(({ id, type }) => [type, id]))
}
