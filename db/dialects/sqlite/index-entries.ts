import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import { insertRows, toRow } from './insert-rows.ts'
import type { IndexTexts, PreparedEntries } from './prepare-entries.ts'

/** Values of rows of traits that are inserted per turn of the event loop, some 10 ms. */
const valuesPerTurn = 4 * 2048

/** Inserts texts: those of one table after those of the other. */
export async function insertTexts(db: Db, { terms, names, traits }: IndexTexts): Promise<void> {
  const insert = (target: string, members: string) => {
    const text = `insert into ${target} select cast(key as integer), value from json_each(?)`
    return db.executeQuery(CompiledQuery.raw(text, [`{${members}}`]))
  }
  await insert('product_search (rowid, terms)', terms)
  await insert('product_search_name (rowid, text)', names)
  await insert('product_search_trait (rowid, text)', traits)
}

/** Inserts traits into a table, which is `product_trait` or has its columns. */
export async function insertTraits(
  db: Db,
  table: string,
  { types, traits }: Omit<PreparedEntries, 'texts'>
): Promise<void> {
  const { type, hash, template, key } = traits
  const stored = await findTypeIds(db, types)
  const ids = types.map(name => stored.get(name))
  const insert = `insert or ignore into ${table} (type_id, hash, template_id, key)`
  const row = toRow(4)
  let values: unknown[] = []
  for (let at = 0; at < key.length; at++) {
    values.push(ids[type[at] as number], hash[at], template[at], key[at])
    if (values.length < valuesPerTurn) continue
    await insertRows(db, insert, row, values)
    values = []
    // A single document may have thousands, and the driver is synchronous.
    await setImmediate()
  }
  await insertRows(db, insert, row, values)
}

/** Returns the ids of the names of traits, and gives one to a name that has none. */
async function findTypeIds(db: Db, types: string[]): Promise<Map<string, number>> {
  const list = sql`select value from json_each(${JSON.stringify(types)})`
  await sql`insert into product_trait_type (type) ${list} where true on conflict do nothing`.execute(db)
  const { rows } = await sql<{ id: number; type: string }>`
    select id, type from product_trait_type where type in (${list})`.execute(db)
  return new Map(rows.map(({ id, type }) => [type, id]))
}
