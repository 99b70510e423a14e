import { Semaphore } from '../../../../semaphore.ts'

/** A limited number of resources, opened on demand, each of which serves one caller at a time. */
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
   * Waits for a resource that nobody else uses until it is put back or discarded. Rejects with the reason of the signal if
   * it aborts, and once the reserve is closed. `ended` aborts in the same cases.
   */
  async take(signal?: AbortSignal) {
    const ended = AbortSignal.any([this.#closed.signal, ...(signal ? [signal] : [])])
    const leave = await this.#places.take(ended)
    try {
      const resource = this.#idle.pop() ?? this.#open()
      const putBack = () => {
        if (this.#closed.signal.aborted) this.#close(resource)
        else this.#idle.push(resource)
        leave()
      }
      // Its place becomes free once it is closed.
      const discard = async () => {
        await this.#close(resource)
        leave()
      }
      return { resource, ended, putBack, discard }
    } catch (error) {
      leave()
      throw error
    }
  }

  closeIdle(): void {
    for (const resource of this.#idle.splice(0)) void this.#close(resource)
  }

  /** Closes what is idle. What is in use is closed when it is put back. */
  close(): void {
    this.#closed.abort(new Error('the database is closed'))
    this.closeIdle()
  }

  /** Resolves once nothing is in use; call it after `close()`. */
  async waitUntilUnused(): Promise<void> {
    for (let place = 0; place < this.#size; place++) await this.#places.take()
  }
}
