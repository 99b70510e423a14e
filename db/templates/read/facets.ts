/** Counts the values of traits and of columns among the matches of a filter. */
import { sql } from 'kysely'
import type { DocumentValue, ValueType } from '../../../domain/document.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { TraitValue } from '../../dialects/template-index.ts'
import type { Db } from '../../schema.ts'
import { kindOfKey, typeKey } from '../filter/keys.ts'
import type { Plan } from '../filter/plan.ts'
import { orders } from './order.ts'
import { chooseRows } from './page.ts'

/** Numbers that are at least `from` and less than `to`. The last range includes `to`. */
interface NumberRange {
  from: number
  to: number
  /** Number of templates with a number in the range. */
  count: number
}

export interface Facet {
  type: string
  values: FacetValue[]
  /** Absent if they were not requested. */
  numbers?: NumberRange[]
}

interface FacetValue {
  /** Formatted for display. */
  text: string
  value: DocumentValue
  /** `ARRAY` for an element of a list. */
  valueType: ValueType
  /** Number of templates with this value. */
  count: number
}

interface FacetRequest {
  /** undefined: all traits. */
  types: string[] | undefined
  /** Maximum number of values per trait, most frequent first. */
  first: number
  /** Whether to count the numbers by ranges. */
  numbers?: boolean
}

/** Up to this number of templates, one statement reads all traits. For more, each trait has a statement. */
const maxReadTogether = 500

/** Lists the traits of the matches by name, each with its most frequent values, ties by text. */
export async function listFacets(
  db: Db,
  plan: Plan,
  { types, first, numbers = false }: FacetRequest
): Promise<Facet[]> {
  const { traits } = engineOf(db)
  const names = types && [...new Set(types.map(typeKey))].sort(byCodePoints)
  const ids = plan.strategy === 'all' ? undefined : await plan.findIds(db)
  const toFacet = (type: string, rows: TraitValue[]): Facet => ({
    type,
    values: rows.slice(0, first).map(({ key, text, count }) => ({ text, count, ...readValue(key, text) }))
  })
  if (ids && ids.length <= maxReadTogether) {
    const { rows } = await traits.selectValuesOf(ids, Math.max(first, 1), names).execute(db)
    const facets = [...Map.groupBy(rows, ({ type }) => type)].map(([type, values]) => toFacet(type, values))
    return numbers ? addNumbers(db, facets, ids) : facets
  }
  const facets: Facet[] = []
  for (const type of names ?? (await listTypes(db))) {
    const { rows } = await traits.selectValues(type, Math.max(first, 1), ids).execute(db)
    if (rows.length > 0) facets.push(toFacet(type, rows))
  }
  return numbers ? addNumbers(db, facets, ids) : facets
}

async function listTypes(db: Db): Promise<string[]> {
  // The table also has names of traits that no template has any more.
  const { rows } = await sql<{ type: string }>`select type from product_trait_type
    where exists (select 1 from product_trait where type_id = product_trait_type.id) order by type`.execute(
    db
  )
  return rows.map(({ type }) => type)
}

/** The order of strings on both engines. */
const byCodePoints = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Restores a value from its key and its text in the index. */
function readValue(key: string, text: string): Pick<FacetValue, 'value' | 'valueType'> {
  const kind = kindOfKey(key)
  const value = kind === 'ELEMENT' || kind === 'STRING' ? text : JSON.parse(text)
  return { value, valueType: kind === 'ELEMENT' ? 'ARRAY' : kind }
}

/** Ranges of the numbers of a trait. */
const maxRanges = 10

/** Adds the ranges of numbers to facets. */
async function addNumbers(db: Db, facets: Facet[], ids: Int32Array | undefined): Promise<Facet[]> {
  const all: Facet[] = []
  for (const facet of facets) {
    const { rows } = await countRanges(db, facet.type, ids).execute(db)
    all.push({ ...facet, numbers: toRanges(rows) })
  }
  return all
}

interface CountedRange {
  /** The index of the range. */
  bucket: number
  least: number
  greatest: number
  count: number
}

/** Computes the range of a number from the lower ends of the ranges, by the same arithmetic as {@link toRanges}. */
const bucketOfNumber = sql`case ${sql.join(
  Array.from({ length: maxRanges - 1 }, (_, index) => maxRanges - 1 - index).map(
    bucket => sql`when number >= least + ${sql.lit(bucket)} * width then ${sql.lit(bucket)}`
  ),
  sql` `
)} else 0 end`

function countRanges(db: Db, type: string, ids: Int32Array | undefined) {
  const { traits } = engineOf(db)
  return sql<CountedRange>`
    with numbers as materialized (select template_id, number from (
        select template_id, ${traits.numberIn(sql`substr(key, 2)`)} as number from ${traits.shownEntries(type, ids)}
      ) as entries where number is not null),
      ends as (select min(number) as least, max(number) as greatest from numbers),
      bounds as materialized (select least, greatest, (greatest - least) / ${sql.lit(maxRanges)} as width from ends)
    select ${bucketOfNumber} as bucket, least, greatest, count(distinct template_id) as count
    from numbers cross join bounds group by 1, least, greatest`
}

function toRanges(counted: CountedRange[]): NumberRange[] {
  const [bounds] = counted
  if (!bounds) return []
  const { least, greatest } = bounds
  if (least === greatest) return [{ from: least, to: greatest, count: bounds.count }]
  const width = (greatest - least) / maxRanges
  return Array.from({ length: maxRanges }, (_, index) => ({
    from: least + index * width,
    to: index === maxRanges - 1 ? greatest : least + (index + 1) * width,
    count: counted.find(({ bucket }) => bucket === index)?.count ?? 0
  }))
}

/** A field whose values can be counted. */
export type FacetField = 'COMPONENT_NAME' | 'BLOCKCHAIN_ID' | 'PUBLIC_PRODUCT'

export interface FieldFacet {
  field: FacetField
  values: { value: string | number | boolean; count: number }[]
}

/** Lists at most `first` values of each field of the matches, most frequent first, and then in order. */
export async function listFieldFacets(
  db: Db,
  plan: Plan,
  { fields, first }: { fields: FacetField[]; first: number }
): Promise<FieldFacet[]> {
  const facets: FieldFacet[] = []
  const { test, isSelective } = await chooseRows(db, plan)
  for (const field of new Set(fields)) {
    // If no index is named, SQLite looks up many rows one by one.
    const from = isSelective ? sql`product_template` : engineOf(db).syntax.tableInOrder('id')
    const column = sql.ref(`product_template.${orders[field].column}`)
    const { rows } = await sql<{
      value: string | number
      count: number
    }>`select ${column} as value, count(*) as count
      from ${from} ${test ? sql`where ${test}` : sql``}
      group by ${column} order by count(*) desc, ${column} limit ${first}`.execute(db)
    const isBoolean = field === 'PUBLIC_PRODUCT'
    facets.push({ field, values: rows.map(row => (isBoolean ? { ...row, value: row.value === 1 } : row)) })
  }
  return facets
}
