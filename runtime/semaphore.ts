/** The maximum time to wait for a place, and the error after that time. */
export interface WaitLimit {
  milliseconds: number
  error: () => Error
}

/** Limits the number of concurrent holders. Others wait in the order in which they came. */
export class Semaphore {
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
  async take(signal?: AbortSignal, waitLimit?: WaitLimit): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.taken === this.#places) {
      const place = Promise.withResolvers<void>()
      this.#waiting.add(place)
      await waitForPlace(place, this.#waiting, signal, waitLimit)
    } else this.taken++
    return () => this.#giveBack()
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

/** Waits for a place. Leaves the queue and rejects if the signal aborts or the wait limit is reached. */
export async function waitForPlace(
  place: PromiseWithResolvers<void>,
  waiting: { delete(place: PromiseWithResolvers<void>): boolean },
  signal?: AbortSignal,
  waitLimit?: WaitLimit
): Promise<void> {
  const leave = (reason: unknown) => {
    if (waiting.delete(place)) place.reject(reason)
  }
  const abort = () => leave(signal?.reason)
  const timer = waitLimit && setTimeout(() => leave(waitLimit.error()), waitLimit.milliseconds)
  signal?.addEventListener('abort', abort)
  try {
    await place.promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** A limited number of resources. They are opened on demand, and each serves one caller at a time. */
export class ResourcePool<T> {
  readonly #open: () => T
  readonly #close: (resource: T) => void
  readonly #places: Semaphore
  readonly #idle: T[] = []
  readonly #closed = new AbortController()

  constructor(size: number, open: () => T, close: (resource: T) => void) {
    this.#open = open
    this.#close = close
    this.#places = new Semaphore(size)
  }

  /** Waits for a resource, which the caller must give back. Rejects if the pool is closed. */
  async take(): Promise<{ resource: T; giveBack: () => void }> {
    const leave = await this.#places.take(this.#closed.signal)
    try {
      const resource = this.#idle.pop() ?? this.#open()
      const giveBack = () => {
        if (this.#closed.signal.aborted) this.#close(resource)
        else this.#idle.push(resource)
        leave()
      }
      return { resource, giveBack }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Closes idle resources, and the others when they are given back. Rejects waiting callers with the reason. */
  close(reason: Error): void {
    this.#closed.abort(reason)
    for (const resource of this.#idle.splice(0)) this.#close(resource)
  }
}
