import type { CompiledQuery, QueryExecutorProvider } from 'kysely'
import type { Db } from '../schema.ts'

/** Long work reports its cost here and lets other work run. A unit of cost is about 10 microseconds of one core. */
export interface Meter {
  /** Adds the cost of work. Throws if the total exceeds the budget. */
  spend(cost: number): void
  /** Throws if a statement with this estimated cost must not run on this thread. */
  checkStatement?(cost: number): void
  /** Lets the event loop run other work if it was blocked for a while. Rejects if the work is aborted. */
  turn(): Promise<void>
}

/** Cost of a statement without its rows. */
export const statementCost = 20
/** Cost of a template of a list. */
export const rowCost = 1
/** Cost of a row that is read in order. */
export const visitCost = 0.01
/** Cost of a row that is looked up by its id. */
export const lookUpCost = 0.3
/** Cost of testing whether a row of an order is among the matches. */
export const memberCost = 0.03
/** Cost of listing the id of a template that no index lists. */
export const listCost = 0.05
/** Cost of counting an entry of a trait. It is high on purpose: counting many then runs on a thread. */
export const countedEntryCost = 0.2
/** Cost per entry of the trait that is sorted by. */
export const sortedEntryCost = 0.2
/** Cost of looking up one word. A long one has 3000 neighbours, which take 100 ms on SQLite. */
export const wordCost = 3
/** Cost of reading a document that is not read together with others, per character. */
export const readCostPerCharacter = 1 / 16_384
/** Cost of testing a document, per character: it is parsed and split into words, as for the index. */
export const testCostPerCharacter = 1 / 100
/** Cost of comparing two revisions, per character of their documents. */
export const diffCostPerCharacter = 1 / 40
/** Milliseconds that all long work together may block the event loop. */
const maxBlockedTime = 10

/** When the event loop last ran other work. */
let turnBegan = 0
/** Functions that continue the work that waits, the oldest first. */
const waiting: (() => void)[] = []

/** Waits for a turn of the event loop if it may have been blocked for a while. One waiter continues per turn. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - turnBegan < maxBlockedTime) return
  await new Promise<void>(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(continueNext)
  })
}

function continueNext(): void {
  turnBegan = performance.now()
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
