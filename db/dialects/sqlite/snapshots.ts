import type { SqliteHandle } from './handle.ts'

/** Open handles, and idle handles kept open. */
const maxHandles = 4
const maxIdleHandles = 4

interface Waiting {
  resolve: (handle: SqliteHandle) => void
  reject: (error: Error) => void
}

/** Handles for read-only transactions. Each transaction sees a snapshot of the file from its start. */
export class SqliteSnapshots {
  readonly #open: () => SqliteHandle
  readonly #idle: SqliteHandle[] = []
  readonly #waiting: Waiting[] = []
  #count = 0
  #destroyed = false

  /** `open` opens another read-only handle. */
  constructor(open: () => SqliteHandle) {
    this.#open = open
  }

  /** Waits for a free handle. Rejects if the file is no longer in place. */
  async lease(): Promise<SqliteHandle> {
    if (this.#destroyed) throw closed()
    const idle = this.#idle.pop()
    if (idle) return this.#check(idle)
    if (this.#count >= maxHandles)
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
    const handle = this.#open()
    this.#count++
    return handle
  }

  release(handle: SqliteHandle): void {
    const next = this.#waiting.shift()
    if (next) next.resolve(handle)
    else if (this.#idle.length < maxIdleHandles && !this.#destroyed) this.#idle.push(handle)
    else this.#close(handle)
  }

  /** Closes the idle handles; the others are closed when they are released. */
  destroy(): void {
    this.#destroyed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    for (const handle of this.#idle.splice(0)) this.#close(handle)
  }

  #check(handle: SqliteHandle): SqliteHandle {
    try {
      handle.assertInPlace()
      return handle
    } catch (error) {
      this.#close(handle)
      throw error
    }
  }

  #close(handle: SqliteHandle): void {
    this.#count--
    handle.forget()
    handle.file.close()
  }
}

const closed = () => new Error('the database is closed')
