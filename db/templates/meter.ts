import type { CompiledQuery, QueryExecutorProvider } from 'kysely'
import type { Db } from '../schema.ts'

/** Long work reports its cost here and gives others a turn. A unit of cost is about 10 microseconds of one core. */
export interface Meter {
  /** Adds the cost of work done or about to be done. Throws if it exceeds the budget. */
  spend(cost: number): void
  /** Checks the estimated cost of a statement. Throws if it may not run here. */
  checkStatement?(cost: number): void
  /** Lets the event loop serve others if it was blocked for a while. Rejects once the work is aborted. */
  turn(): Promise<void>
}

/** Cost of a statement, whatever it finds. */
export const statementCost = 20
/** Cost of visiting a row of an order. */
export const visitCost = 0.01
/** Cost of a template of a list. */
export const rowCost = 1
/** Cost of looking up a row by its id. */
export const lookUpCost = 0.3
/** Milliseconds that all work together may block the event loop before others have their turn. */
const holdTime = 10

/** When the event loop last served others. */
let servedAt = 0
/** Continues each work that waits, the oldest first. */
const waiting: (() => void)[] = []

/** Lets the event loop serve others if it may have been blocked for a while. Of the work that waits, one continues per turn. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - servedAt < holdTime) return
  await new Promise<void>(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(continueNext)
  })
}

function continueNext(): void {
  servedAt = performance.now()
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(continueNext)
}

/** Creates a meter without a budget, for commands and tests. */
export const unmetered = (): Meter => ({ spend() {}, turn: takeTurn })

/** A query from Kysely's builder or a raw query. */
interface Query<R> {
  compile(executor: QueryExecutorProvider): CompiledQuery<R>
}

/** Runs a statement of the given cost. */
export async function run<Row>(db: Db, query: Query<Row>, cost: number, meter: Meter): Promise<Row[]> {
  meter.checkStatement?.(cost)
  meter.spend(statementCost + cost)
  await meter.turn()
  return (await db.executeQuery(query.compile(db))).rows
}
