import type Sqlite from 'better-sqlite3'
import { SqliteHandle } from './handle.ts'

/** Open handles, and idle handles kept open. */
const maxHandles = 4
const maxIdleHandles = 1

/** Handles for read-only transactions. Each transaction sees a snapshot of the file from its start. */
export class SqliteSnapshots {
  readonly #open: () => Sqlite.Database
  readonly #idle: SqliteHandle[] = []
  readonly #waiting: ((handle: SqliteHandle) => void)[] = []
  #count = 0

  /** `open` opens another read-only handle. */
  constructor(open: () => Sqlite.Database) {
    this.#open = open
  }

  /** Waits for a free handle. */
  async lease(): Promise<SqliteHandle> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#count >= maxHandles) return new Promise(resolve => this.#waiting.push(resolve))
    const handle = new SqliteHandle(this.#open())
    this.#count++
    return handle
  }

  release(handle: SqliteHandle): void {
    const next = this.#waiting.shift()
    if (next) next(handle)
    else if (this.#idle.length < maxIdleHandles) this.#idle.push(handle)
    else this.#close(handle)
  }

  destroy(): void {
    for (const handle of this.#idle.splice(0)) this.#close(handle)
  }

  #close(handle: SqliteHandle): void {
    this.#count--
    handle.forget()
    handle.file.close()
  }
}
