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

/** A limited number of resources. They are opened on demand, and each serves one caller at a time. */
export class Reserve<T> {
  readonly #open: () => T
  readonly #close: (resource: T) => unknown
  readonly #size: number
  readonly #places: Semaphore
  readonly #idle: T[] = []
  readonly #closed = new AbortController()

  constructor(size: number, open: () => T, close: (resource: T) => unknown) {
    this.#open = open
    this.#close = close
    this.#size = size
    this.#places = new Semaphore(size)
  }

  /**
   * Waits for a resource, which the caller must give back. Rejects if the signal aborts, with its reason, or if the reserve is
   * closed. `ended` is a signal that aborts in the same cases.
   */
  async take(signal?: AbortSignal) {
    const ended = AbortSignal.any([this.#closed.signal, ...(signal ? [signal] : [])])
    const leave = await this.#places.take(ended)
    try {
      const resource = this.#idle.pop() ?? this.#open()
      const giveBack = async (isUsable = true) => {
        if (isUsable && !this.#closed.signal.aborted) this.#idle.push(resource)
        // The place becomes free only when the resource is closed.
        else await this.#close(resource)
        leave()
      }
      return { resource, ended, giveBack }
    } catch (error) {
      leave()
      throw error
    }
  }

  closeIdle(): void {
    for (const resource of this.#idle.splice(0)) void this.#close(resource)
  }

  /** Closes idle resources. The others are closed when they are given back. */
  close(): void {
    this.#closed.abort(new Error('the database is closed'))
    this.closeIdle()
  }

  /** Resolves when no resource is in use. Call it after `close()`. */
  async waitUntilUnused(): Promise<void> {
    for (let place = 0; place < this.#size; place++) await this.#places.take()
  }
}
