import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'
import { secondsAgo, timestamp } from '../timestamp.ts'

/** The subject of a counter: failed logins of an account, or requests of a client or an address. */
export type AttemptSubject = { account: string } | { client: string } | { address: string }

/** Number of attempts in the current window, and the seconds until it ends. */
export interface Attempts {
  count: number
  secondsLeft: number
}

/** A counter as stored. A window begins with the first attempt; further attempts do not extend it. */
export interface AttemptWindow {
  subject: string
  count: number
  timeEnds: string
}

/** Counts an attempt in one statement, so that concurrent attempts get different numbers. */
export async function countAttempt(
  db: Db,
  subject: AttemptSubject,
  windowSeconds: number
): Promise<Attempts> {
  const attempt = { subject: keyOf(subject), count: 1, timeEnds: secondsAgo(-windowSeconds) }
  const [counted] = await addAttempts(db, [attempt])
  return toAttempts(counted as AttemptWindow)
}

/**
 * Adds to counters in one statement; one without a current window begins the window that is given. Returns the counters
 * in any order.
 */
export async function addAttempts(db: Db, windows: AttemptWindow[]): Promise<AttemptWindow[]> {
  const now = timestamp()
  const rows = await (windows.length === 1 ? prepared(db) : db)
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
  return rows
}

/** Like {@link countAttempt}, without counting. */
export async function readAttempts(db: Db, subject: AttemptSubject): Promise<Attempts> {
  const window = await findWindow(db, keyOf(subject))
  return window ? toAttempts(window) : { count: 0, secondsLeft: 0 }
}

/** Finds the current window of a counter. */
export async function findWindow(db: Db, subject: string): Promise<AttemptWindow | undefined> {
  return prepared(db)
    .selectFrom('product_attempt')
    .select(['subject', 'count', 'time_ends as timeEnds'])
    .where('subject', '=', subject)
    .where('time_ends', '>', timestamp())
    .executeTakeFirst()
}

/** Resets the counter. */
export async function forgetAttempts(db: Db, subject: AttemptSubject): Promise<void> {
  await prepared(db).deleteFrom('product_attempt').where('subject', '=', keyOf(subject)).execute()
}

export async function deleteEndedAttempts(db: Db): Promise<void> {
  await db.deleteFrom('product_attempt').where('time_ends', '<', timestamp()).execute()
}

/** Hashed, because an e-mail address as typed may be anything, of any length. */
export function keyOf(subject: AttemptSubject): string {
  const [[kind, name] = []] = Object.entries(subject) as [string, string][]
  return `${kind}:${createHash('sha256').update(String(name)).digest('hex')}`
}

export function toAttempts({ count, timeEnds }: AttemptWindow): Attempts {
  const secondsLeft = Math.max(1, Math.ceil((Date.parse(timeEnds) - Date.now()) / 1000))
  return { count, secondsLeft }
}
