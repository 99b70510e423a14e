/** The maximum time to wait for a place, and the error after that time. */
interface Patience {
  milliseconds: number
  error: () => Error
}

/** Limits the number of concurrent holders. Others wait in the order in which they came. */
export class Semaphore {
  /** Number of places that are taken. */
  taken = 0
  readonly #places: number
  readonly #waiting = new Set<PromiseWithResolvers<void>>()

  constructor(places: number) {
    this.#places = places
  }

  /** Number of callers that wait for a place. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Takes a place, and resolves with the function that releases it. Rejects if the signal aborts, with its reason, or
   * if no place is free in time.
   */
  async take(signal?: AbortSignal, patience?: Patience): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.taken === this.#places) await this.#wait(signal, patience)
    else this.taken++
    return () => this.#giveBack()
  }

  async #wait(signal?: AbortSignal, patience?: Patience): Promise<void> {
    const place = Promise.withResolvers<void>()
    const leave = (reason: unknown) => {
      if (this.#waiting.delete(place)) place.reject(reason)
    }
    const abort = () => leave(signal?.reason)
    const timer = patience && setTimeout(() => leave(patience.error()), patience.milliseconds)
    this.#waiting.add(place)
    signal?.addEventListener('abort', abort)
    try {
      await place.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (!next) this.taken--
    else {
      this.#waiting.delete(next)
      next.resolve()
    }
  }
}
