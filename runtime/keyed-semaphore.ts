import { type WaitLimit, waitForPlace } from './semaphore.ts'

/** The maximum number of holders for each name that a holder counts for, such as its host. */
type Limits = Record<string, number>

/** Limits the number of concurrent holders by several names at once. A waiting caller takes no place for any name. */
export class KeyedSemaphore {
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Map<PromiseWithResolvers<void>, Limits>()
  readonly #waitLimit: WaitLimit

  constructor(waitLimit: WaitLimit) {
    this.#waitLimit = waitLimit
  }

  /** Like `take` of `Semaphore`. */
  async take(limits: Limits, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#hasRoom(limits)) this.#count(limits, 1)
    else {
      const place = Promise.withResolvers<void>()
      this.#waiting.set(place, limits)
      await waitForPlace(place, this.#waiting, signal, this.#waitLimit)
    }
    return () => {
      this.#count(limits, -1)
      for (const [place, others] of this.#waiting) {
        if (!this.#hasRoom(others)) continue
        this.#waiting.delete(place)
        this.#count(others, 1)
        place.resolve()
      }
    }
  }

  #hasRoom = (limits: Limits): boolean =>
    Object.entries(limits).every(([name, limit]) => (this.#taken.get(name) ?? 0) < limit)

  #count(limits: Limits, change: 1 | -1): void {
    for (const name of Object.keys(limits)) {
      const taken = (this.#taken.get(name) ?? 0) + change
      if (taken > 0) this.#taken.set(name, taken)
      else this.#taken.delete(name)
    }
  }
}
