import { setImmediate } from 'node:timers/promises'

/** Long work reports its cost here and gives others a turn. A unit of cost is about 10 microseconds of one core. */
export interface Meter {
  /** Aborts statements that run on threads. */
  signal?: AbortSignal | undefined
  /** Adds the cost of work done or about to be done. Throws if it exceeds the budget. */
  spend(cost: number): void
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
/** A statement over this cost runs on a thread if the engine would block the event loop. */
export const maxCostInLoop = 1500
/** Cost per step of work done in steps. */
export const stepCost = 1000

/** Milliseconds that work may block the event loop before others have their turn. */
const holdTime = 10

/** Makes a function that gives others a turn if the event loop has been blocked for that long. */
export function takeTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < holdTime) return
    await setImmediate()
    since = performance.now()
  }
}

/** Creates a meter without a budget, for commands and tests. */
export const unmetered = (): Meter => ({ spend() {}, turn: takeTurns() })
