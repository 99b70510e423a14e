/** How long to wait for a place, and what to reject with then. */
interface Patience {
  milliseconds: number
  error: () => Error
}

/** Limits the number of concurrent holders. Further ones wait, first come, first served. */
export class Semaphore {
  /** How many hold a place. */
  taken = 0
  readonly #places: number
  readonly #waiting = new Set<PromiseWithResolvers<void>>()

  constructor(places: number) {
    this.#places = places
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves with a function that releases the place. Rejects with the reason of the signal if it aborts, and when there
   * is no place in time.
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
