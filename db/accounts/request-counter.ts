import { LRUCache } from 'lru-cache'
import type { Db } from '../schema.ts'
import { secondsAgo, timestamp } from '../timestamp.ts'
import { type AttemptSubject, type Attempts, addAttempts, findWindow, keyOf, toAttempts } from './attempts.ts'

/** Milliseconds from a request until its count is written. */
const writeInterval = 1000
/** Counters that are written at a time: bounds the work, and with it the rows that anyone can cause in a minute. */
const maxWritten = 500
/** Counters in memory. Beyond them, the one that was used least recently is forgotten, with what is not written yet. */
const maxCounters = 5000

interface CountedWindow {
  timeEnds: string
  /** All requests that are known: those in the database, also of other processes, and those that are not written. */
  count: number
  unwritten: number
}

/**
 * Counts the requests of clients and addresses in memory, and writes once a second. Exact within a process; several
 * processes together may exceed a limit by what the others have not written yet. A crash loses the last counts.
 */
export class RequestCounter {
  readonly #db: Db
  readonly #windowSeconds: number
  readonly #onError: (error: unknown) => void
  readonly #windows = new LRUCache<string, Promise<CountedWindow>>({ max: maxCounters })
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  /** `onError` is called if writing fails, which is then tried again. */
  constructor(db: Db, windowSeconds: number, onError: (error: unknown) => void) {
    this.#db = db
    this.#windowSeconds = windowSeconds
    this.#onError = onError
  }

  /** Counts a request; returns the requests of the subject in the current window. */
  async count(counted: AttemptSubject): Promise<Attempts> {
    const subject = keyOf(counted)
    const window = await this.#findCurrent(subject)
    window.count++
    window.unwritten++
    this.#writeLater()
    return toAttempts({ subject, ...window })
  }

  async #findCurrent(subject: string): Promise<CountedWindow> {
    const known = this.#windows.get(subject)
    const window = await known
    if (window && window.timeEnds > timestamp()) return window
    // Concurrent requests share the window that the first of them begins.
    if (this.#windows.get(subject) === known) {
      const begun = this.#begin(subject)
      this.#windows.set(subject, begun)
      begun.catch(() => this.#windows.delete(subject))
    }
    return this.#windows.get(subject) as Promise<CountedWindow>
  }

  async #begin(subject: string): Promise<CountedWindow> {
    const { count, timeEnds } = (await findWindow(this.#db, subject)) ?? {
      count: 0,
      timeEnds: secondsAgo(-this.#windowSeconds)
    }
    return { count, timeEnds, unwritten: 0 }
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => this.flush(), writeInterval).unref()
  }

  /** Writes what was counted: one write after the other, so that each adds to what the last one returned. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onError)
    await this.#writing
  }

  async #write(): Promise<void> {
    const unwritten = await this.#listUnwritten()
    if (unwritten.length > maxWritten) this.#writeLater()
    const windows = new Map(unwritten.slice(0, maxWritten))
    if (windows.size === 0) return
    const added = [...windows].map(([subject, { unwritten: count, timeEnds }]) => ({
      subject,
      count,
      timeEnds
    }))
    for (const window of windows.values()) window.unwritten = 0
    try {
      for (const { subject, count, timeEnds } of await addAttempts(this.#db, added)) {
        const window = windows.get(subject) as CountedWindow
        Object.assign(window, { timeEnds, count: count + window.unwritten })
      }
    } catch (error) {
      for (const { subject, count } of added) (windows.get(subject) as CountedWindow).unwritten += count
      this.#writeLater()
      throw error
    }
  }

  /** Lists what is not written, largest counts first, and forgets what has ended. */
  async #listUnwritten(): Promise<[string, CountedWindow][]> {
    const unwritten: [string, CountedWindow][] = []
    for (const [subject, begun] of [...this.#windows]) {
      // The request that began it reports the error.
      const window = await begun.catch(() => undefined)
      if (!window || this.#windows.peek(subject) !== begun) continue
      if (window.timeEnds <= timestamp()) this.#windows.delete(subject)
      else if (window.unwritten > 0) unwritten.push([subject, window])
    }
    return unwritten.sort(([, one], [, other]) => other.unwritten - one.unwritten)
  }
}
