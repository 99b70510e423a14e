import { setImmediate } from 'node:timers/promises'

/**
 * What long work reports to: what it costs, and when others may have their turn. A unit of cost stands for about
 * 10 microseconds of one core.
 */
export interface Meter {
  /** Ends statements that run elsewhere. */
  signal?: AbortSignal | undefined
  /** Counts work that was done or is about to be done. Throws where that is more than may be spent. */
  spend(cost: number): void
  /** Lets the event loop serve others, if it has not for a while. Rejects once the work is of no more use. */
  turn(): Promise<void>
}

/** Cost of visiting a row of an order. */
export const visitCost = 0.01
/** Cost of a row that is found by its id. */
export const lookUpCost = 0.3
/** Cost of a statement from which it runs beside the event loop, on an engine that would hold it. */
export const maxCostInLoop = 1500
/** Cost of one step of work that is done in steps. */
export const stepCost = 1000

/** Milliseconds that work holds the event loop before others have their turn. */
const holdTime = 10

/** Says when the event loop has been held for long. */
export function takeTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < holdTime) return
    await setImmediate()
    since = performance.now()
  }
}

/** For work that nobody pays for: commands, tests. */
export const unmetered = (): Meter => ({ spend() {}, turn: takeTurns() })
