import type { Expression, RawBuilder, SqlBool } from 'kysely'
import type { Db } from '../../schema.ts'
import { type Meter, statementCost, stepCost, visitCost } from '../meter.ts'
import { type Match, type MatchRow, readMatches, type Search } from './matches.ts'
import { type Position, selectInOrder } from './order.ts'

/** Rows per step, at most. */
const maxStepRows = 20_000

/** The condition to test on each row; if it is undefined, all rows match. */
export interface Test {
  test?: Expression<SqlBool>
  testCost: number
}

export const noTest: Test = { testCost: 0 }

/** The matches among some rows of an order, and the end of those rows if more follow. */
export interface Step {
  found: Match[]
  end: Position | undefined
}

/** Returns the first `wanted` matches among the next rows of an order, and the end of those rows if more follow. */
export async function testRows(
  db: Db,
  { test, testCost }: Test,
  search: Search,
  rows: number,
  wanted: number,
  meter: Meter
): Promise<Step> {
  meter.spend(statementCost + Math.min(rows, test ? rows : wanted) * (visitCost + testCost))
  await meter.turn()
  const limit = Math.min(rows, wanted)
  const execute = async (query: RawBuilder<MatchRow>) => (await query.execute(db)).rows
  if (!test) {
    const found = await readMatches(db, search, { limit }, execute)
    return { found, end: found.length === rows ? found.at(-1) : undefined }
  }
  const { order } = search
  const last = selectInOrder(db, { order, range: search, limit: 1, offset: rows - 1 })
  const [end] = (await last.execute(db)).rows
  const range = end ? { ...search, before: undefined, through: end } : search
  return { found: await readMatches(db, range, { test, limit }, execute), end }
}

/** Tests each row of the order. */
export async function* walkRows(
  db: Db,
  test: Test,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Match[]> {
  const rows = rowsPerStep(test)
  let rest = search
  for (let left = wanted; left > 0; ) {
    const { found, end } = await testRows(db, test, rest, rows, left, meter)
    yield found
    left -= found.length
    if (!end) return
    rest = startAfter(search, end)
  }
}

export const startAfter = (search: Search, after: Position): Search => ({ ...search, after, from: undefined })

export const rowsPerStep = ({ testCost }: Test): number =>
  Math.max(1, Math.min(maxStepRows, Math.floor(stepCost / (visitCost + testCost))))
