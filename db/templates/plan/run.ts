import { type Query, runInBackground } from '../../dialects/background.ts'
import type { Db } from '../../schema.ts'
import { type Meter, maxCostInLoop, statementCost } from '../meter.ts'

/** Runs a statement of the given cost. If it is long and the engine would block the event loop, it runs on a thread. */
export async function run<Row>(db: Db, query: Query<Row>, cost: number, meter: Meter): Promise<Row[]> {
  meter.spend(statementCost + cost)
  await meter.turn()
  if (cost > maxCostInLoop) return runInBackground(db, query, meter.signal)
  return (await db.executeQuery(query.compile(db))).rows
}
