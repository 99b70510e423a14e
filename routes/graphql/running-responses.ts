import { unavailable } from '../../errors.ts'
import type { NamedOperation } from '../../metrics/metrics.ts'

/** A complete response and the operation that it belongs to. */
export interface SharedResponse {
  readonly body: Buffer
  readonly operation: NamedOperation
}

/**
 * How an execution ends for the requests that joined it: with the response; with `failed`, after which one of them is
 * executed for the others; or with `unshared`, after which each is executed alone.
 */
type Outcome = SharedResponse | 'failed' | 'unshared'

/** The execution of a request that others may join. */
export interface RunningResponse {
  /** Whether others wait for it. */
  isJoined: boolean
  readonly outcome: Promise<Outcome>
  /** Only the first call counts. A mutation must be ended before it runs: it is never shared. */
  end(outcome: Outcome): void
}

/** Characters of the requests that wait for others, all together. */
const maxWaiting = 2 ** 25

/** Lets equal requests that come at the same version share one execution. */
export class RunningResponses {
  #waiting = 0
  readonly #running = new Map<string, RunningResponse>()

  /**
   * Waits for the response to an equal request. Without one, or if too many wait, begins an execution that others can join.
   * Throws 503 if those before have failed for `timeout` seconds.
   */
  async joinOrBegin(key: string, timeout: number): Promise<SharedResponse | RunningResponse> {
    const since = performance.now()
    // After a failure, the first waiting request finds nothing to join, so it begins. The others then join it.
    for (let running = this.#running.get(key); running; running = this.#running.get(key)) {
      const outcome = this.#waiting > maxWaiting ? 'unshared' : await this.#join(running, key)
      if (outcome === 'unshared') break
      if (outcome !== 'failed') return outcome
      if (performance.now() - since > 1000 * timeout)
        throw unavailable('the equal requests that this one waited for have failed')
    }
    return this.#begin(key)
  }

  #begin(key: string): RunningResponse {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
    const end = (outcome: Outcome) => {
      if (this.#running.get(key) === running) this.#running.delete(key)
      resolve(outcome)
    }
    const running: RunningResponse = { isJoined: false, outcome, end }
    this.#running.set(key, running)
    return running
  }

  #join(running: RunningResponse, key: string): Promise<Outcome> {
    running.isJoined = true
    // The request itself, and its key.
    const size = 3 * key.length
    this.#waiting += size
    return running.outcome.finally(() => {
      this.#waiting -= size
    })
  }
}
