import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'

/** Milliseconds a writer waits for the others, of this process and of others, and between two tries. */
export const busyTimeout = 5000
const busyPause = 5

/**
 * Lets one writer at a time at the file. Waiting stops nobody else: SQLite's own waiting would stop the
 * event loop. Rejects with SQLITE_BUSY after {@link busyTimeout}.
 */
export class SqliteWriters {
  #last: Promise<void> = Promise.resolve()

  /** Waits for the writers before, then tries `begin` until no other process is in the way. */
  async turn<T>(begin: () => T): Promise<{ result: T; end: () => void }> {
    const deadline = performance.now() + busyTimeout
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = before.then(() => promise)
    const waiting = new AbortController()
    try {
      await Promise.race([before, setTimeout(busyTimeout, undefined, waiting).then(refuse)])
      return { result: await whenFree(begin, deadline), end }
    } catch (error) {
      end()
      throw error
    } finally {
      waiting.abort()
    }
  }
}

/** Tries a job until no other process is in its way. */
export async function whenFree<T>(job: () => T, deadline = performance.now() + busyTimeout): Promise<T> {
  while (true) {
    try {
      return job()
    } catch (error) {
      const busy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY')
      if (!busy || performance.now() > deadline) throw error
      await setTimeout(busyPause)
    }
  }
}

function refuse(): never {
  throw new Sqlite.SqliteError('another writer of this process holds the database', 'SQLITE_BUSY')
}
