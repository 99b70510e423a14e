/** Limits the number of concurrent holders. Further ones wait, first come, first served. */
export class Semaphore {
  /** How many hold a place. */
  taken = 0
  readonly #places: number
  readonly #waiting = new Set<PromiseWithResolvers<void>>()

  constructor(places: number) {
    this.#places = places
  }

  /** Whether the next holder must wait. */
  get full(): boolean {
    return this.taken === this.#places
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves with a function that releases the place. Rejects with the reason of the signal if it aborts. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.full) await this.#wait(signal)
    else this.taken++
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
    if (!next) this.taken--
    else {
      this.#waiting.delete(next)
      next.resolve()
    }
  }
}
