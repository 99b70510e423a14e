import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import type { Plan } from '../filter/plan.ts'
import { type Meter, run } from '../meter.ts'
import { orders } from '../read/order.ts'
import { chooseRows } from '../read/page.ts'

/** A field whose values can be counted. */
export type FacetField = 'COMPONENT_NAME' | 'BLOCKCHAIN_ID' | 'PUBLIC_PRODUCT'

export interface FieldFacet {
  field: FacetField
  values: { value: string | number | boolean; count: number }[]
}

/** Lists at most `first` values of each field of the matches, most frequent first. Equally frequent ones are ordered by value. */
export async function listFieldFacets(
  db: Db,
  plan: Plan,
  { fields, first }: { fields: FacetField[]; first: number },
  meter: Meter
): Promise<FieldFacet[]> {
  const facets: FieldFacet[] = []
  for (const field of new Set(fields)) {
    // Grouping by a column takes as long as sorting by it.
    const { test, isSorted, cost } = await chooseRows(db, plan, { field, direction: 'ASC' }, meter)
    // Without the name of an index, SQLite would look up each of many rows.
    const from = isSorted ? sql`product_template` : engineOf(db).syntax.walkOrder('id')
    const column = sql.ref(`product_template.${orders[field].column}`)
    const query = sql<{ value: string | number; count: number }>`select ${column} as value, count(*) as count
      from ${from} ${test ? sql`where ${test}` : sql``}
      group by ${column} order by count(*) desc, ${column} limit ${first}`
    const rows = await run(db, query, cost, meter)
    const isBoolean = field === 'PUBLIC_PRODUCT'
    facets.push({ field, values: rows.map(row => (isBoolean ? { ...row, value: row.value === 1 } : row)) })
  }
  return facets
}
