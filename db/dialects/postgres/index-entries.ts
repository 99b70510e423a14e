import { sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { IndexEntry } from '../interface.ts'
import { isLong, toIndexedKey } from './traits.ts'

/** Inserts the words of templates and their traits. */
export async function insertEntries(db: Db, entries: IndexEntry[]): Promise<void> {
  const ids = entries.map(({ id }) => id)
  const terms = entries.map(({ terms }) => terms.join(' '))
  await sql`insert into product_search (template_id, terms)
    select id, array_to_tsvector(string_to_array(words, ' '))
    from unnest(${ids}::integer[], ${terms}::text[]) as entry (id, words)`.execute(db)
  const traits = entries.flatMap(({ id, traits }) => traits.map(trait => ({ id, ...trait })))
  const types = await findTypeIds(db, new Set(traits.map(({ type }) => type)))
  await sql`insert into product_trait (template_id, type_id, key, value) select * from unnest(
    ${traits.map(({ id }) => id)}::integer[],
    ${traits.map(({ type }) => types.get(type))}::integer[],
    ${traits.map(({ key }) => toIndexedKey(key))}::text[],
    ${traits.map(({ key }) => (isLong(key) ? key.slice(1) : null))}::text[]
  )`.execute(db)
}

/** Returns the ids of the names of traits, and gives one to a name that has none. */
async function findTypeIds(db: Db, types: Set<string>): Promise<Map<string, number>> {
  const list = [...types]
  const find = async () => {
    const { rows } = await sql<{ id: number; type: string }>`
      select id, type from product_trait_type where type = any(${list}::text[])`.execute(db)
    return new Map(rows.map(({ id, type }) => [type, id]))
  }
  const known = await find()
  if (known.size === types.size) return known
  await sql`insert into product_trait_type (type) select unnest(${list.filter(type => !known.has(type))}::text[])
    on conflict do nothing`.execute(db)
  return find()
}
