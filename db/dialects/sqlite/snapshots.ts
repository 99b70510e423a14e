import { Semaphore } from '../semaphore.ts'
import type { SqliteHandle } from './handle.ts'

const maxHandles = 4

/** A handle that nobody else uses until it is released. */
export interface Lease {
  handle: SqliteHandle
  release: () => void
}

/** Handles for read-only transactions. Each transaction sees a snapshot of the file from its start. */
export class SqliteSnapshots {
  readonly #open: () => SqliteHandle
  readonly #places = new Semaphore(maxHandles)
  readonly #idle: SqliteHandle[] = []
  readonly #closed = new AbortController()

  /** `open` opens another read-only handle. */
  constructor(open: () => SqliteHandle) {
    this.#open = open
  }

  /** Waits for a free handle. Rejects if the file is no longer in place, and with the reason of the signal if it aborts. */
  async lease(signal?: AbortSignal): Promise<Lease> {
    const { signal: closed } = this.#closed
    const leave = await this.#places.take(signal ? AbortSignal.any([closed, signal]) : closed)
    try {
      const handle = this.#takeIdle() ?? this.#open()
      return { handle, release: () => this.#release(handle, leave) }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Closes the idle handles; the others are closed when they are released. */
  destroy(): void {
    this.#closed.abort(new Error('the database is closed'))
    for (const handle of this.#idle.splice(0)) close(handle)
  }

  #takeIdle(): SqliteHandle | undefined {
    const handle = this.#idle.pop()
    try {
      handle?.assertInPlace()
      return handle
    } catch (error) {
      if (handle) close(handle)
      throw error
    }
  }

  #release(handle: SqliteHandle, leave: () => void): void {
    if (this.#closed.signal.aborted) close(handle)
    else this.#idle.push(handle)
    leave()
  }
}

function close(handle: SqliteHandle): void {
  handle.forget()
  handle.file.close()
}
