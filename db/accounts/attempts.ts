import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'
import { secondsAgo, timestamp } from '../timestamp.ts'

/** The subject of a counter: failed logins of an account or with a passkey, or requests of a client or an address. */
export type AttemptSubject =
  | { account: string }
  | { passkey: string }
  | { client: string }
  | { address: string }

/** A counter as stored. A window begins with the first attempt; further attempts do not extend it. */
interface AttemptWindow {
  subject: string
  count: number
  timeEnds: string
}

/** Counts an attempt in one statement, so that concurrent attempts get different numbers. */
export async function countAttempt(db: Db, subject: AttemptSubject, windowSeconds: number): Promise<void> {
  await addAttempts(db, [{ subject: keyOf(subject), count: 1, timeEnds: secondsAgo(-windowSeconds) }])
}

/**
 * Adds to counters in one statement; one without a current window begins the window that is given. Returns the counters
 * in any order.
 */
async function addAttempts(db: Db, windows: AttemptWindow[]): Promise<AttemptWindow[]> {
  const now = timestamp()
  return (windows.length === 1 ? prepared(db) : db)
    .insertInto('product_attempt')
    .values(windows.map(({ subject, count, timeEnds }) => ({ subject, count, time_ends: timeEnds })))
    .onConflict(conflict =>
      conflict.column('subject').doUpdateSet({
        count: sql<number>`case when product_attempt.time_ends <= ${now} then excluded.count else product_attempt.count + excluded.count end`,
        time_ends: sql<string>`case when product_attempt.time_ends <= ${now} then excluded.time_ends else product_attempt.time_ends end`
      })
    )
    .returning(['subject', 'count', 'time_ends as timeEnds'])
    .execute()
}

/** Reads the number of attempts in the current window, and the seconds until it ends. */
export async function readAttempts(db: Db, subject: AttemptSubject) {
  const window = await findWindow(db, keyOf(subject))
  return window ? toAttempts(window) : { count: 0, secondsLeft: 0 }
}

/** Finds the current window of a counter. */
const findWindow = (db: Db, subject: string): Promise<AttemptWindow | undefined> =>
  prepared(db)
    .selectFrom('product_attempt')
    .select(['subject', 'count', 'time_ends as timeEnds'])
    .where('subject', '=', subject)
    .where('time_ends', '>', timestamp())
    .executeTakeFirst()

/** Finds the failed logins of accounts in their current windows, in the order of the e-mail addresses. */
export async function findFailedLogins(db: Db, accounts: string[]): Promise<(AttemptWindow | undefined)[]> {
  const keys = accounts.map(account => keyOf({ account }))
  const windows = await db
    .selectFrom('product_attempt')
    .select(['subject', 'count', 'time_ends as timeEnds'])
    .where('subject', 'in', keys)
    .where('time_ends', '>', timestamp())
    .execute()
  const found = new Map(windows.map(window => [window.subject, window]))
  return keys.map(key => found.get(key))
}

/** Resets the counter. */
export async function forgetAttempts(db: Db, subject: AttemptSubject): Promise<void> {
  await prepared(db).deleteFrom('product_attempt').where('subject', '=', keyOf(subject)).execute()
}

/** Hashed, because an e-mail address as typed may be anything, of any length. */
function keyOf(subject: AttemptSubject): string {
  const [[kind, name] = []] = Object.entries(subject) as [string, string][]
  return `${kind}:${createHash('sha256').update(String(name)).digest('hex')}`
}

const toAttempts = ({ count, timeEnds }: Omit<AttemptWindow, 'subject'>) => ({
  count,
  secondsLeft: Math.max(1, Math.ceil((Date.parse(timeEnds) - Date.now()) / 1000))
})

/** Seconds in which requests are counted together. */
const requestWindow = 60
/** Milliseconds from a request until its count is written. */
const writeInterval = 1000
/** Counters that are written at a time: bounds the work, and with it the rows that anyone can cause in a minute. */
const maxWritten = 500
/** Counters in memory. Beyond them, the one that was used least recently is forgotten, with what is not written yet. */
const maxCounters = 5000

/** `count` is the stored count, which includes other processes, plus `unwritten`. */
type CountedWindow = Omit<AttemptWindow, 'subject'> & { unwritten: number }

/**
 * Counts the requests of clients and addresses in memory, and writes once a second. Exact within a process; several
 * processes together may exceed a limit by what the others have not written yet. A crash loses the last counts.
 */
export class RequestCounter {
  readonly #db: Db
  readonly #onError: (error: unknown) => void
  /** Concurrent requests share the window that the first of them begins. */
  readonly #windows = new LRUCache<string, CountedWindow>({
    max: maxCounters,
    ignoreFetchAbort: true,
    fetchMethod: async subject => {
      const begun = { count: 0, timeEnds: secondsAgo(-requestWindow) }
      return { ...begun, ...(await findWindow(this.#db, subject)), unwritten: 0 }
    }
  })
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  /** `onError` is called if writing fails, which is then tried again. */
  constructor(db: Db, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
  }

  /** Counts a request; returns the requests of the subject in the current window, and the seconds until it ends. */
  async count(counted: AttemptSubject) {
    const subject = keyOf(counted)
    const forceRefresh = isOver(this.#windows.get(subject))
    const window = (await this.#windows.fetch(subject, { forceRefresh })) as CountedWindow
    window.count++
    window.unwritten++
    this.#writeLater()
    return toAttempts(window)
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => this.flush(), writeInterval).unref()
  }

  /** Writes what was counted: one write after the other, so that each adds to what the last one returned. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch(error => {
        this.#writeLater()
        this.#onError(error)
      })
    await this.#writing
  }

  /** Writes the largest counts. What was not written before its window ended is lost. */
  async #write(): Promise<void> {
    const unwritten = [...this.#windows]
      .filter(([, window]) => window.unwritten > 0 && !isOver(window))
      .sort(([, one], [, other]) => other.unwritten - one.unwritten)
    if (unwritten.length === 0) return
    if (unwritten.length > maxWritten) this.#writeLater()
    const windows = new Map(unwritten.slice(0, maxWritten))
    const added = Array.from(windows, ([subject, { unwritten: count, timeEnds }]) => ({
      subject,
      count,
      timeEnds
    }))
    const stored = await addAttempts(this.#db, added)
    for (const { subject, count } of added) (windows.get(subject) as CountedWindow).unwritten -= count
    for (const { subject, count, timeEnds } of stored) {
      const window = windows.get(subject) as CountedWindow
      Object.assign(window, { timeEnds, count: count + window.unwritten })
    }
  }
}

const isOver = (window: CountedWindow | undefined): boolean =>
  window !== undefined && window.timeEnds <= timestamp()
