import { setImmediate } from 'node:timers/promises'
import { type Expression, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import type { TemplateFilter } from './conditions.ts'
import type { DocumentValue, ValueType } from './document.ts'
import { selective } from './plan.ts'
import { typeKey, typeOfKey } from './trait-key.ts'

export interface Facet {
  type: string
  values: FacetValue[]
}

export interface FacetValue {
  /** As it is displayed; a text of a list by itself. */
  text: string
  value: DocumentValue
  /** `ARRAY` where the value is one text of a list. */
  valueType: ValueType
  /** Templates that have it. */
  count: number
}

export interface FacetRequest {
  /** undefined: every template. */
  where: TemplateFilter | undefined
  /** undefined: every trait there is. */
  types: string[] | undefined
  /** Values of each trait, the most frequent ones. */
  first: number
}

/** What traits there are, by name, each with its most frequent values, and of two as frequent the lesser text first. */
export async function listFacets(db: Db, { where, types, first }: FacetRequest): Promise<Facet[]> {
  const names = types ? [...new Set(types.map(typeKey))].sort(byCodePoints) : await listTypes(db)
  const matches =
    where &&
    db
      .selectFrom('product_template')
      .select('id')
      .where(await selective(db, where))
  const facets: Facet[] = []
  for (const type of names) {
    // Each takes long, and SQLite is synchronous: others want to ask something in between.
    await setImmediate()
    const values = await listValues(db, type, matches, Math.max(first, 1))
    if (values.length > 0) facets.push({ type, values: values.slice(0, first) })
  }
  return facets
}

/** As both engines order texts. */
const byCodePoints = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** From one name to the next by the index: there are few names and many entries. */
async function listTypes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    with recursive names (type) as (
      select min(type) from product_trait
      union all
      select (select min(type) from product_trait where type > names.type) from names where names.type is not null
    )
    select type from names where type is not null`.execute(db)
  return rows.map(({ type }) => type)
}

async function listValues(
  db: Db,
  type: string,
  matches: Expression<{ id: number }> | undefined,
  first: number
): Promise<FacetValue[]> {
  let query = db
    .selectFrom('product_trait')
    .select(({ ref }) => [
      'key',
      engineOf(db).sameInGroup(ref('value')).as('text'),
      sql<number>`count(distinct ${ref('template_id')})`.as('count')
    ])
    .where('type', '=', type)
    .where('value', 'is not', null)
    .groupBy('key')
    .orderBy('count', 'desc')
    .orderBy('text')
    .limit(first)
  if (matches) query = query.where(sql<boolean>`template_id in (${matches})`)
  const rows = await query.execute()
  return rows.map(({ key, text, count }) => ({ text, count, ...typed(key, text) }))
}

/** The value of which an index has the key and the displayed text. */
function typed(key: string, text: string): Pick<FacetValue, 'value' | 'valueType'> {
  switch (typeOfKey(key)) {
    case 'element':
      return { value: text, valueType: 'ARRAY' }
    case 'string':
      return { value: text, valueType: 'STRING' }
    case 'integer':
      return { value: Number(text), valueType: 'INTEGER' }
    case 'boolean':
      return { value: text === 'true', valueType: 'BOOLEAN' }
    default:
      return { value: JSON.parse(text), valueType: 'OTHER' }
  }
}
