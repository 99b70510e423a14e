/** The maximum time to wait for a place, and the error after that time. */
interface WaitLimit {
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
async function waitForPlace(
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

  /** Like `take` of {@link Semaphore}. */
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
