import type { Db } from '../schema.ts'
import type { Meter } from './meter.ts'
import type { Position } from './order.ts'
import type { Plan } from './plan.ts'
import { type Search, walkMatches } from './walk.ts'

export interface Page {
  positions: Position[]
  /** Whether more matches follow. */
  more: boolean
}

/** Finds the positions of the first `limit` matches in an order. Reads only indexes, no documents. */
export async function findPage(
  db: Db,
  plan: Plan,
  search: Search,
  limit: number,
  meter: Meter
): Promise<Page> {
  const found: Position[] = []
  for await (const positions of walkMatches(db, plan, search, limit + 1, meter)) found.push(...positions)
  return { positions: found.slice(0, limit), more: found.length > limit }
}
