import { sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import { typeKey } from '../trait-key.ts'
import { selective } from './selective-filter.ts'
import type { TemplateFilter } from './template-filter.ts'

export interface Facet {
  type: string
  values: FacetValue[]
}

export interface FacetValue {
  /** As it is displayed; a text of a list by itself. */
  text: string
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
  const names = types ? [...new Set(types.map(typeKey))].sort() : await listTypes(db)
  const facets: Facet[] = []
  for (const type of names) {
    // One after the other: each is long, and others want to ask something in between.
    const values = await listValues(db, type, where, first)
    if (values.length > 0) facets.push({ type, values })
  }
  return facets
}

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
  where: TemplateFilter | undefined,
  first: number
): Promise<FacetValue[]> {
  let query = db
    .selectFrom('product_trait')
    .select(({ ref }) => [
      engineOf(db).sameInGroup(ref('value')).as('text'),
      sql<number>`count(distinct ${ref('template_id')})`.as('count')
    ])
    .where('type', '=', type)
    .where('value', 'is not', null)
    .groupBy('key')
    .orderBy('count', 'desc')
    .orderBy('text')
    .limit(first)
  if (where) {
    const matches = db
      .selectFrom('product_template')
      .select('id')
      .where(await selective(db, where))
    query = query.where('template_id', 'in', matches)
  }
  return query.execute()
}
