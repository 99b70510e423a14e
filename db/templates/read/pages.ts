import type { Db } from '../../schema.ts'
import type { Meter } from '../meter.ts'
import type { Plan } from '../plan/plan.ts'
import type { Match, Search } from './matches.ts'
import { walkMatches } from './walk.ts'

export interface Page {
  matches: Match[]
  /** Whether more matches follow. */
  more: boolean
}

/** Finds the first `limit` matches in an order. */
export async function findPage(
  db: Db,
  plan: Plan,
  search: Search,
  limit: number,
  meter: Meter
): Promise<Page> {
  const found: Match[] = []
  for await (const matches of walkMatches(db, plan, search, limit + 1, meter)) found.push(...matches)
  return { matches: found.slice(0, limit), more: found.length > limit }
}
