import { type SqlBool, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { engineOf } from '../../dialects/engine.ts'
import { perDatabase } from '../../per-database.ts'
import type { Db } from '../../schema.ts'
import { lookUpCost, type Meter } from '../meter.ts'
import type { Candidates, Plan } from '../plan/plan.ts'
import { costPerProbedId } from '../plan/plan-condition.ts'
import { run } from '../plan/run.ts'
import { type Match, type MatchRow, readMatches, type Search } from './matches.ts'
import { inDirection } from './order.ts'

/** A match with the number of candidates. If none matches, there is one row with that number alone. */
type CountedRow = { candidates: number } & (MatchRow | { [name in keyof MatchRow]: null })

/** Milliseconds in which the candidates of a filter that has too many are not counted again. */
const lifetime = 10_000
/** Characters of such filters that are remembered. */
const maxLength = 2 ** 20

/** The filters with too many candidates, as JSON. */
const crowdedFilters = perDatabase(
  () =>
    new LRUCache<string, true>({
      ttl: lifetime,
      maxSize: maxLength,
      sizeCalculation: (_, filter) => filter.length
    })
)

/** Returns what {@link sortCandidates} returns; undefined also if there were too many candidates a moment ago. */
export async function sortFew(
  db: Db,
  { candidates, filter }: Plan,
  search: Search,
  wanted: number,
  meter: Meter
): Promise<Match[] | undefined> {
  if (!candidates) return undefined
  const filters = crowdedFilters(db)
  const text = JSON.stringify(filter)
  if (filters.has(text)) return undefined
  const matches = await sortCandidates(db, candidates, search, wanted, meter)
  if (!matches) filters.set(text, true)
  return matches
}

/**
 * Looks up the candidates and returns the first `wanted` matches in order; undefined if there are too many candidates.
 * The same statement counts them first.
 */
async function sortCandidates(
  db: Db,
  candidates: Candidates,
  search: Search,
  wanted: number,
  meter: Meter
): Promise<Match[] | undefined> {
  const { ids, test, testCost, most } = candidates
  const { from, test: isCandidate } = engineOf(db).lookUp(candidates, most)
  const reading = {
    from,
    test: test ? sql<SqlBool>`${isCandidate} and ${test}` : isCandidate,
    limit: wanted
  }
  let isFew = true
  const matches = await readMatches(db, search, reading, async query => {
    const counted = sql<CountedRow>`with counted (candidates) as materialized (
        select count(*) from (${ids} limit ${most + 1}) as candidate
      )
      select * from counted left join (${query}) as page on true
      order by ${inDirection(search.order, sql`page.key`, sql`page.id`)}`
    const rows = await run(db, counted, most * costPerProbedId, meter)
    const { candidates: count = 0 } = rows[0] ?? {}
    isFew = count <= most
    if (isFew) meter.spend(count * (lookUpCost + testCost))
    return rows.flatMap(({ candidates: _, ...row }) => (row.id === null ? [] : [row as MatchRow]))
  })
  return isFew ? matches : undefined
}
