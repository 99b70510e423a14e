import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { type Meter, run } from '../meter.ts'

/** Numbers from `from` up to, and without, `to`; the greatest of all belongs to the last range. */
export interface NumberRange {
  from: number
  to: number
  /** Number of templates with a number in the range. */
  count: number
}

const maxRanges = 10

/** Adds the numbers of each trait to facets. `cost` is that of one trait. */
export async function addNumbers<Facet extends { type: string }>(
  db: Db,
  facets: Facet[],
  { among, cost }: { among: Int32Array | undefined; cost: number },
  meter: Meter
): Promise<(Facet & { numbers: NumberRange[] })[]> {
  const all: (Facet & { numbers: NumberRange[] })[] = []
  for (const facet of facets) {
    const counted = await run(db, countRanges(db, facet.type, among), cost, meter)
    all.push({ ...facet, numbers: toRanges(counted) })
  }
  return all
}

interface CountedRange {
  place: number
  least: number
  greatest: number
  count: number
}

/** The places of numbers by the lower ends of the ranges, which are the same numbers here as below. */
const place = sql`case ${sql.join(
  Array.from({ length: maxRanges - 1 }, (_, at) => maxRanges - 1 - at).map(
    at => sql`when number >= least + ${sql.lit(at)} * width then ${sql.lit(at)}`
  ),
  sql` `
)} else 0 end`

function countRanges(db: Db, type: string, among: Int32Array | undefined) {
  const { traits } = engineOf(db)
  return sql<CountedRange>`
    with numbers as materialized (select template_id, number from (
        select template_id, ${traits.numberIn(sql`substr(key, 2)`)} as number from ${traits.shownEntries(type, among)}
      ) as entries where number is not null),
      ends as (select min(number) as least, max(number) as greatest from numbers),
      bounds as materialized (select least, greatest, (greatest - least) / ${sql.lit(maxRanges)} as width from ends)
    select ${place} as place, least, greatest, count(distinct template_id) as count
    from numbers cross join bounds group by 1, least, greatest`
}

function toRanges(counted: CountedRange[]): NumberRange[] {
  const [bounds] = counted
  if (!bounds) return []
  const { least, greatest } = bounds
  if (least === greatest) return [{ from: least, to: greatest, count: bounds.count }]
  const width = (greatest - least) / maxRanges
  return Array.from({ length: maxRanges }, (_, at) => ({
    from: least + at * width,
    to: at === maxRanges - 1 ? greatest : least + (at + 1) * width,
    count: counted.find(({ place }) => place === at)?.count ?? 0
  }))
}
