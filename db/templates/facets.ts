import type { Db } from '../schema.ts'
import type { DocumentValue, ValueType } from './document.ts'
import { scanIds } from './fetch-ids.ts'
import { intersect } from './id-set.ts'
import type { Meter } from './meter.ts'
import type { Plan } from './plan.ts'
import { run } from './run.ts'
import { typeKey, typeOfKey } from './trait-key.ts'
import { selectTraitTypes, selectTraitValues } from './trait-values.ts'

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
  /** undefined: every trait there is. */
  types: string[] | undefined
  /** Values of each trait, the most frequent ones. */
  first: number
}

/** Cost of an entry of a trait, of which most templates have one. */
const entryCost = 0.02
/** Traits of a store whose documents are of the usual kind. */
const usualTypes = 25

/** What `listFacets` costs, in the unit of {@link Meter}. */
export const facetCost = (plan: Plan, types: string[] | undefined): number =>
  (plan.strategy === 'all' ? 0 : plan.cost) + (types?.length ?? usualTypes) * typeCost(plan)

const typeCost = ({ templates }: Plan): number => Math.max(1, templates * entryCost)

/** What traits the matches have, by name, each with its most frequent values; of two as frequent the lesser text is first. */
export async function listFacets(
  db: Db,
  plan: Plan,
  { types, first }: FacetRequest,
  meter: Meter
): Promise<Facet[]> {
  const names = types ? [...new Set(types.map(typeKey))].sort(byCodePoints) : await listTypes(db, meter)
  const among = plan.strategy === 'all' ? undefined : await listed(db, plan, meter)
  const facets: Facet[] = []
  for (const type of names) {
    const query = selectTraitValues(db, type, Math.max(first, 1), among)
    const rows = await run(db, query, typeCost(plan), meter)
    const values = rows.map(({ key, text, count }) => ({ text, count, ...typed(key, text) }))
    if (values.length > 0) facets.push({ type, values: values.slice(0, first) })
  }
  return facets
}

/** The matches one by one. */
async function listed(db: Db, plan: Plan, meter: Meter): Promise<Int32Array> {
  const found = await plan.matches(meter)
  if (!found.excluded) return found.ids
  const all = await scanIds(db, { testCost: 0, columns: [] }, meter)
  return intersect(all, found).ids
}

async function listTypes(db: Db, meter: Meter): Promise<string[]> {
  const rows = await run(db, selectTraitTypes(), 1, meter)
  return rows.map(({ type }) => type)
}

/** As both engines order texts. */
const byCodePoints = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

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
