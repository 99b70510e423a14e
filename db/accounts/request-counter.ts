import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import { secondsAgo, timestamp } from '../timestamp.ts'
import { type Attempts, addAttempts, countAttempt, findWindow, keyOf, toAttempts } from './attempts.ts'

/** Milliseconds from a request until its count is written. */
const writeInterval = 1000
/** Counters written in one statement. */
const batchSize = 500

/** Counts the requests of clients. A crash of the machine may lose the last counts. */
export interface RequestCounter {
  /** Counts a request; returns the requests of the client in the current window. */
  count(clientId: string): Promise<Attempts>
  /** Writes what was counted in memory. */
  flush(): Promise<void>
}

/** Opens a counter; `onError` is called if writing fails, which is then tried again. */
export function openRequestCounter(
  db: Db,
  windowSeconds: number,
  onError: (error: unknown) => void
): RequestCounter {
  const { commitWithoutSync } = engineOf(db)
  if (!commitWithoutSync) return new BatchedCounter(db, windowSeconds, onError)
  return {
    count: client => countAttempt(db, { client }, windowSeconds, commitWithoutSync),
    flush: async () => {}
  }
}

interface CountedWindow {
  timeEnds: string
  /** In the database, with the counts of other processes. */
  stored: number
  /** In a statement that is running, and since. */
  writing: number
  unwritten: number
}

/**
 * Counts in memory and writes once a second, where every commit waits for the disk. Exact within a process; several
 * processes together may exceed a limit by what the others have not written yet.
 */
class BatchedCounter implements RequestCounter {
  readonly #db: Db
  readonly #windowSeconds: number
  readonly #onError: (error: unknown) => void
  readonly #windows = new Map<string, Promise<CountedWindow>>()
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, windowSeconds: number, onError: (error: unknown) => void) {
    this.#db = db
    this.#windowSeconds = windowSeconds
    this.#onError = onError
  }

  async count(client: string): Promise<Attempts> {
    const subject = keyOf({ client })
    const window = await this.#findCurrent(subject)
    window.unwritten++
    this.#timer ??= setTimeout(() => this.flush(), writeInterval).unref()
    const count = window.stored + window.writing + window.unwritten
    return toAttempts({ subject, count, timeEnds: window.timeEnds })
  }

  async #findCurrent(subject: string): Promise<CountedWindow> {
    const known = this.#windows.get(subject)
    const window = await known
    if (window && window.timeEnds > timestamp()) return window
    // Concurrent requests share the window that the first of them begins.
    if (this.#windows.get(subject) === known) this.#windows.set(subject, this.#begin(subject))
    return this.#windows.get(subject) as Promise<CountedWindow>
  }

  async #begin(subject: string): Promise<CountedWindow> {
    try {
      const found = await findWindow(this.#db, subject)
      const { count: stored, timeEnds } = found ?? { count: 0, timeEnds: secondsAgo(-this.#windowSeconds) }
      return { stored, timeEnds, writing: 0, unwritten: 0 }
    } catch (error) {
      this.#windows.delete(subject)
      throw error
    }
  }

  /** One write after the other, so that each adds to what the last one returned. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onError)
    await this.#writing
  }

  async #write(): Promise<void> {
    const windows = new Map<string, CountedWindow>()
    for (const [subject, begun] of [...this.#windows]) {
      // The request that began it reports the error.
      const window = await begun.catch(() => undefined)
      if (!window || this.#windows.get(subject) !== begun) continue
      if (window.timeEnds <= timestamp()) this.#windows.delete(subject)
      else if (window.unwritten > 0) windows.set(subject, window)
    }
    const entries = [...windows]
    for (let index = 0; index < entries.length; index += batchSize)
      await this.#writeBatch(new Map(entries.slice(index, index + batchSize)))
  }

  async #writeBatch(windows: Map<string, CountedWindow>): Promise<void> {
    for (const window of windows.values()) {
      window.writing = window.unwritten
      window.unwritten = 0
    }
    try {
      const batch = [...windows].map(([subject, { writing: count, timeEnds }]) => ({
        subject,
        count,
        timeEnds
      }))
      for (const { subject, count, timeEnds } of await addAttempts(this.#db, batch))
        Object.assign(windows.get(subject) as CountedWindow, { stored: count, timeEnds })
    } catch (error) {
      for (const window of windows.values()) window.unwritten += window.writing
      this.#timer ??= setTimeout(() => this.flush(), writeInterval).unref()
      throw error
    } finally {
      for (const window of windows.values()) window.writing = 0
    }
  }
}
