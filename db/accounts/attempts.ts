import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { clockSkewSeconds, secondsFromNow, timestamp } from '../../domain/timestamp.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db, Row } from '../schema.ts'

/** The subject of a counter: failed logins of an `account`, requests of a `client` or an `address`; features add kinds. */
export interface AttemptSubject {
  kind: string
  id: string
}

/** A stored counter. Its window begins with the first attempt, and later attempts do not extend it. */
type AttemptWindow = Row<'product_attempt'>

/** Seconds in which failed logins are counted together. An account is locked for at most this time. */
const failureWindow = 900
/** Seconds of a window of requests. */
const requestWindow = 60

/** The latest end of a window that has begun. A clock that was ahead has begun a window with a later end. */
const latestEnd = (windowSeconds: number): string => secondsFromNow(windowSeconds + clockSkewSeconds)

/** Counts a failed login in one statement, so that concurrent failures get different numbers. */
export async function countFailure(db: Db, subject: AttemptSubject): Promise<void> {
  const window = { subject: keyOf(subject), count: 1, time_ends: secondsFromNow(failureWindow) }
  await addAttempts(db, [window], failureWindow)
}

/**
 * Adds counts to the stored windows in one statement. If a subject has no current window, the given window begins.
 * Returns the stored windows in any order.
 */
async function addAttempts(
  db: Db,
  windows: AttemptWindow[],
  windowSeconds: number
): Promise<AttemptWindow[]> {
  const hasEnded = sql`product_attempt.time_ends <= ${timestamp()}`
  // A window that ends too late keeps its count: the clock of another instance may be ahead.
  const isOver = sql`${hasEnded} or product_attempt.time_ends > ${latestEnd(windowSeconds)}`
  return (windows.length === 1 ? prepared(db) : db)
    .insertInto('product_attempt')
    .values(windows)
    .onConflict(conflict =>
      conflict.column('subject').doUpdateSet({
        count: sql<number>`case when ${hasEnded} then excluded.count else product_attempt.count + excluded.count end`,
        time_ends: sql<string>`case when ${isOver} then excluded.time_ends else product_attempt.time_ends end`
      })
    )
    .returningAll()
    .execute()
}

/** Reads the number of failed logins in the current window, and the seconds until it ends. */
export async function readFailures(db: Db, subject: AttemptSubject) {
  const window = await findWindow(db, keyOf(subject), failureWindow)
  return window ? toAttempts(window) : { count: 0, secondsLeft: 0 }
}

const selectCurrentWindows = (db: Db, windowSeconds: number) =>
  db
    .selectFrom('product_attempt')
    .selectAll()
    .where('time_ends', '>', timestamp())
    .where('time_ends', '<=', latestEnd(windowSeconds))

const findWindow = (db: Db, subject: string, windowSeconds: number): Promise<AttemptWindow | undefined> =>
  selectCurrentWindows(prepared(db), windowSeconds).where('subject', '=', subject).executeTakeFirst()

/** Finds the failed logins of accounts in their current windows, in the order of the given e-mail addresses. */
export async function findFailedLogins(db: Db, accounts: string[]): Promise<(AttemptWindow | undefined)[]> {
  const keys = accounts.map(account => keyOf({ kind: 'account', id: account }))
  const windows = await selectCurrentWindows(db, failureWindow).where('subject', 'in', keys).execute()
  const byKey = new Map(windows.map(window => [window.subject, window]))
  return keys.map(key => byKey.get(key))
}

export async function forgetFailures(db: Db, subject: AttemptSubject): Promise<void> {
  await prepared(db).deleteFrom('product_attempt').where('subject', '=', keyOf(subject)).execute()
}

/** Makes a key. The key contains a hash, because a visitor may type a text of any length as an e-mail address. */
const keyOf = ({ kind, id }: AttemptSubject): string => `${kind}:${hash('sha256', id)}`

const toAttempts = ({ count, time_ends }: Omit<AttemptWindow, 'subject'>) => ({
  count,
  secondsLeft: Math.max(1, Math.ceil((Date.parse(time_ends) - Date.now()) / 1000))
})

/** Counters per write. This also bounds the rows that anyone can cause in a minute. */
const maxCountersPerWrite = 500
/** Counters in memory. If there are more, the least recently used one is dropped with its unwritten count. */
const maxCounters = 5000

/** A window in memory: `count` is the stored count, of all processes, plus `unwritten`. */
type CountedWindow = Omit<AttemptWindow, 'subject'> & { unwritten: number }

/**
 * Counts the requests of clients and addresses in memory, until `write` stores the counts. Several processes may
 * together exceed a limit by their unwritten counts. A crash loses unwritten counts, and so do too many counters.
 */
export class RequestCounter {
  readonly #db: Db
  /** Concurrent requests share the window that the first one begins. */
  readonly #windows = new LRUCache<string, CountedWindow>({
    max: maxCounters,
    ignoreFetchAbort: true,
    fetchMethod: async subject => {
      const begun = { count: 0, time_ends: secondsFromNow(requestWindow) }
      return { ...begun, ...(await findWindow(this.#db, subject, requestWindow)), unwritten: 0 }
    }
  })

  constructor(db: Db) {
    this.#db = db
  }

  /** Counts a request. Returns the requests of the subject in the current window, and the seconds until it ends. */
  async count(counted: AttemptSubject) {
    const subject = keyOf(counted)
    const forceRefresh = isOver(this.#windows.get(subject))
    const window = (await this.#windows.fetch(subject, { forceRefresh })) as CountedWindow
    window.count++
    window.unwritten++
    return toAttempts(window)
  }

  /**
   * Writes the largest counts. The next call writes the other counts, and those whose write has failed. Calls must not
   * overlap. A count that is unwritten when its window ends is lost.
   */
  async write(): Promise<void> {
    const unwritten = [...this.#windows]
      .filter(([, window]) => window.unwritten > 0 && !isOver(window))
      .sort(([, one], [, other]) => other.unwritten - one.unwritten)
    if (unwritten.length === 0) return
    const windows = new Map(unwritten.slice(0, maxCountersPerWrite))
    // All processes write in the same order, so that they do not deadlock.
    const added = Array.from(windows, ([subject, { unwritten, time_ends }]) => ({
      subject,
      count: unwritten,
      time_ends
    })).sort((one, other) => (one.subject < other.subject ? -1 : 1))
    const stored = await addAttempts(this.#db, added, requestWindow)
    for (const { subject, count } of added) (windows.get(subject) as CountedWindow).unwritten -= count
    for (const { subject, count, time_ends } of stored) {
      const window = windows.get(subject) as CountedWindow
      Object.assign(window, { time_ends, count: count + window.unwritten })
    }
  }
}

const isOver = (window: CountedWindow | undefined): boolean =>
  window !== undefined && (window.time_ends <= timestamp() || window.time_ends > latestEnd(requestWindow))
