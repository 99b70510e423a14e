import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { Semaphore } from '../../../../semaphore.ts'

/** Milliseconds that a writer waits for the writers of all processes. */
export const busyTimeout = 5000
/** Milliseconds between two attempts. */
const busyPause = 5
const patience = {
  milliseconds: busyTimeout,
  error: () => new Sqlite.SqliteError('another writer uses the database', 'SQLITE_BUSY')
}

/**
 * Lets one writer at a time use the file. Writers wait without blocking the event loop, which SQLite would block. Rejects with
 * SQLITE_BUSY after {@link busyTimeout}.
 */
export class SqliteWriters {
  /** Writers that gave up. */
  timeouts = 0
  readonly #place = new Semaphore(1)
  readonly #observers = new Set<(seconds: number) => void>()

  /** Calls a function with the seconds that each writer waited. Returns the function that stops this. */
  observe(observer: (seconds: number) => void): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /** Waits for earlier writers, then retries `begin` until no other process holds the lock. */
  async enter<T>(begin: () => T): Promise<{ result: T; leave: () => void }> {
    const since = performance.now()
    let leave: (() => void) | undefined
    try {
      leave = await this.#place.take(undefined, patience)
      const result = await retryWhileBusy(begin, since + busyTimeout)
      for (const observe of this.#observers) observe((performance.now() - since) / 1000)
      return { result, leave }
    } catch (error) {
      leave?.()
      if (isBusy(error)) this.timeouts++
      throw error
    }
  }
}

/** Retries a job until no other process holds the lock. */
export async function retryWhileBusy<T>(
  job: () => T,
  deadline = performance.now() + busyTimeout
): Promise<T> {
  while (true) {
    try {
      return job()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await setTimeout(busyPause)
    }
  }
}

export const isBusy = (error: unknown): boolean =>
  (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false
