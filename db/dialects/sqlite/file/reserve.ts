import { Semaphore } from '../../../../semaphore.ts'

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
