import type { NamedOperation } from '../../metrics/operations.ts'

/** What those who join an execution get. */
export interface Shared {
  body: Buffer
  operation: NamedOperation
}

/**
 * How an execution ends for the requests that joined it: with the response; with `failed`, after which one of them is
 * executed for the others; or with `unshared`, after which each is executed alone.
 */
export type Outcome = Shared | 'failed' | 'unshared'

/** The execution of a request that others may join. */
export interface Running {
  readonly key: string
  readonly version: string
  /** Whether others wait for it. */
  isJoined: boolean
  readonly outcome: Promise<Outcome>
  /** Only the first call counts. */
  end(outcome: Outcome): void
}

/** Characters of the requests that wait for others, all together. */
const maxWaiting = 2 ** 25

/** Lets equal requests that come at the same version share one execution. */
export class RunningResponses {
  #waiting = 0
  readonly #running = new Map<string, Running>()

  /** Begins an execution. A mutation must be ended before it runs: it is never shared. */
  begin(key: string, version: string): Running {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
    const end = (outcome: Outcome) => {
      if (this.#running.get(key) === running) this.#running.delete(key)
      resolve(outcome)
    }
    const running: Running = { key, version, isJoined: false, outcome, end }
    this.#running.set(key, running)
    return running
  }

  /**
   * Joins the execution of an equal request; returns nothing if there is none, or if too many wait. Then begin one in the
   * same turn, so that others can join it.
   */
  join(key: string, version: string): Promise<Outcome> | undefined {
    const running = this.#running.get(key)
    if (running?.version !== version || this.#waiting > maxWaiting) return undefined
    running.isJoined = true
    return this.#wait(running)
  }

  async #wait(running: Running): Promise<Outcome> {
    // The request itself, and its key.
    const size = 3 * running.key.length
    this.#waiting += size
    try {
      return await running.outcome
    } finally {
      this.#waiting -= size
    }
  }
}
