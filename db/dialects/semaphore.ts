/** Limits the number of concurrent holders. Further ones wait, first come, first served. */
export class Semaphore {
  #free: number
  readonly #waiting = new Set<PromiseWithResolvers<void>>()

  constructor(places: number) {
    this.#free = places
  }

  /** Whether the next holder must wait. */
  get full(): boolean {
    return this.#free === 0
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves with a function that releases the place. Rejects with the reason of the signal if it aborts. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.full) await this.#wait(signal)
    else this.#free--
    return () => this.#giveBack()
  }

  async #wait(signal?: AbortSignal): Promise<void> {
    const place = Promise.withResolvers<void>()
    const leave = () => {
      if (this.#waiting.delete(place)) place.reject(signal?.reason)
    }
    this.#waiting.add(place)
    signal?.addEventListener('abort', leave)
    try {
      await place.promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (!next) this.#free++
    else {
      this.#waiting.delete(next)
      next.resolve()
    }
  }
}
