import { LRUCache } from 'lru-cache'
import type { NamedOperation } from '../../metrics/metrics.ts'

/** A complete response and the operation that it belongs to. */
export interface SharedResponse {
  readonly body: Buffer
  readonly operation: NamedOperation
}

/** How an execution ends for those who joined it. Without a response, each of them is executed; if `abandoned`, one for all. */
type Outcome = SharedResponse | 'abandoned' | undefined

/** The execution of a request. */
export interface Execution {
  /** `Version.templates` that its response is made from. */
  readonly version: string
  /** Whether an equal request came before, or waits for it. */
  isRepeated: boolean
  readonly outcome: Promise<Outcome>
  /** From then on, nobody can join. Only the first outcome counts. */
  end(outcome?: Outcome): void
}

/** Executions in memory. */
const maxExecutions = 10_000
/** Characters of their requests. */
const maxLength = 2 ** 23
/** Characters of the requests that wait for others, all together. */
const maxWaiting = 2 ** 25

/** The latest execution of each request. Equal requests that come at the same version share one. */
export class Executions {
  #waiting = 0
  /** What has ended only shows that the request came before: an execution would hold its response in memory. */
  readonly #latest = new LRUCache<string, Execution | 'ended'>({
    max: maxExecutions,
    maxSize: maxLength,
    sizeCalculation: (_execution, key) => key.length
  })

  /** Waits for the response to an equal request. Without one, or if too many wait, begins an execution that others can join. */
  async joinOrBegin(key: string, version: string): Promise<SharedResponse | Execution> {
    for (;;) {
      const latest = this.#latest.get(key)
      const isRunning = latest !== undefined && latest !== 'ended' && latest.version === version
      const outcome = isRunning && this.#waiting <= maxWaiting ? await this.#join(latest, key) : undefined
      if (outcome === undefined) return this.#begin(key, version)
      // The first of those who wait finds nothing to join, so it begins. The others then join it.
      if (outcome !== 'abandoned') return outcome
    }
  }

  #begin(key: string, version: string): Execution {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
    const end = (outcome?: Outcome) => {
      resolve(outcome)
      if (this.#latest.peek(key) === execution) this.#latest.set(key, 'ended')
    }
    const execution: Execution = { version, isRepeated: this.#latest.has(key), outcome, end }
    this.#latest.set(key, execution)
    return execution
  }

  async #join(execution: Execution, key: string): Promise<Outcome> {
    execution.isRepeated = true
    // The request itself, and its key.
    const size = 3 * key.length
    this.#waiting += size
    const outcome = await execution.outcome
    this.#waiting -= size
    return outcome
  }
}
