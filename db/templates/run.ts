import type { RawBuilder } from 'kysely'
import { runInBackground } from '../dialects/background.ts'
import type { Db } from '../schema.ts'
import { type Meter, maxCostInLoop } from './meter.ts'

/** Runs a statement that costs so much: a long one beside the event loop, where the engine would hold it. */
export async function run<Row>(db: Db, query: RawBuilder<Row>, cost: number, meter: Meter): Promise<Row[]> {
  meter.spend(cost)
  await meter.turn()
  if (cost > maxCostInLoop) return runInBackground(db, query, meter.signal)
  return (await query.execute(db)).rows
}
