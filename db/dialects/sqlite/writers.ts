import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'

/** Milliseconds that a writer waits for other writers of any process, and between two attempts. */
export const busyTimeout = 5000
const busyPause = 5

/**
 * Lets one writer at a time use the file. Waiting does not block the event loop, as SQLite's own waiting would. Rejects
 * with SQLITE_BUSY after {@link busyTimeout}.
 */
export class SqliteWriters {
  /** How many wait and gave up, and who is told the seconds that each waited. */
  waiting = 0
  readonly observers = new Set<(seconds: number) => void>()
  timeouts = 0
  #last: Promise<void> = Promise.resolve()

  /** Waits for earlier writers, then retries `begin` until no other process holds the lock. */
  async turn<T>(begin: () => T): Promise<{ result: T; end: () => void }> {
    const since = performance.now()
    const deadline = since + busyTimeout
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = before.then(() => promise)
    const waiting = new AbortController()
    this.waiting++
    try {
      await Promise.race([before, setTimeout(busyTimeout, undefined, waiting).then(refuse)])
      const result = await whenFree(begin, deadline)
      for (const observe of this.observers) observe((performance.now() - since) / 1000)
      return { result, end }
    } catch (error) {
      if (isBusy(error)) this.timeouts++
      end()
      throw error
    } finally {
      this.waiting--
      waiting.abort()
    }
  }
}

/** Retries a job until no other process holds the lock. */
export async function whenFree<T>(job: () => T, deadline = performance.now() + busyTimeout): Promise<T> {
  while (true) {
    try {
      return job()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await setTimeout(busyPause)
    }
  }
}

const isBusy = (error: unknown): boolean =>
  (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false

function refuse(): never {
  throw new Sqlite.SqliteError('another writer of this process holds the database', 'SQLITE_BUSY')
}
