import type { NamedOperation } from '../../metrics/metrics.ts'

/** A complete response and the operation that it belongs to. */
export interface SharedResponse {
  readonly body: Buffer
  readonly operation: NamedOperation
}

/** How an execution ends for those who joined it. Without a response, each of them is executed; if `abandoned`, one for all. */
type Outcome = SharedResponse | 'abandoned' | undefined

/** The execution of a request that others may join. */
export interface RunningResponse {
  /** Whether others wait for it. */
  isJoined: boolean
  readonly outcome: Promise<Outcome>
  /** Only the first call counts. */
  end(outcome?: Outcome): void
}

/** Characters of the requests that wait for others, all together. */
const maxWaiting = 2 ** 25

/** Lets equal requests that come at the same version share one execution. */
export class RunningResponses {
  #waiting = 0
  readonly #running = new Map<string, RunningResponse>()

  /** Waits for the response to an equal request. Without one, or if too many wait, begins an execution that others can join. */
  async joinOrBegin(key: string): Promise<SharedResponse | RunningResponse> {
    for (let running = this.#running.get(key); running; running = this.#running.get(key)) {
      const outcome = this.#waiting > maxWaiting ? undefined : await this.#join(running, key)
      if (outcome === undefined) break
      // The first of those who wait finds nothing to join, so it begins. The others then join it.
      if (outcome !== 'abandoned') return outcome
    }
    return this.#begin(key)
  }

  #begin(key: string): RunningResponse {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
    const end = (outcome?: Outcome) => {
      if (this.#running.get(key) === running) this.#running.delete(key)
      resolve(outcome)
    }
    const running = { isJoined: false, outcome, end }
    this.#running.set(key, running)
    return running
  }

  async #join(running: RunningResponse, key: string): Promise<Outcome> {
    running.isJoined = true
    // The request itself, and its key.
    const size = 3 * key.length
    this.#waiting += size
    const outcome = await running.outcome
    this.#waiting -= size
    return outcome
  }
}
