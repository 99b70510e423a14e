import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { formatTimestamp, timestamp } from '../timestamp.ts'

/** The subject of a counter: failed logins of an account, or requests of a client. */
export type AttemptSubject = { account: string } | { client: string }

/** Number of attempts in the current window, and the seconds until it ends. */
export interface Attempts {
  count: number
  secondsLeft: number
}

/**
 * Counts an attempt in one statement, so that concurrent attempts get different numbers. A window begins with the first
 * attempt and ends after `windowSeconds`; further attempts do not extend it.
 */
export async function countAttempt(
  db: Db,
  subject: AttemptSubject,
  windowSeconds: number
): Promise<Attempts> {
  const now = timestamp()
  const ends = formatTimestamp((Date.now() + windowSeconds * 1000) * 1000)
  const { count, time_ends } = await db
    .insertInto('product_attempt')
    .values({ subject: keyOf(subject), count: 1, time_ends: ends })
    .onConflict(conflict =>
      conflict.column('subject').doUpdateSet({
        count: sql<number>`case when product_attempt.time_ends <= ${now} then 1 else product_attempt.count + 1 end`,
        time_ends: sql<string>`case when product_attempt.time_ends <= ${now} then ${ends} else product_attempt.time_ends end`
      })
    )
    .returning(['count', 'time_ends'])
    .executeTakeFirstOrThrow()
  return { count, secondsLeft: secondsUntil(time_ends) }
}

/** Like {@link countAttempt}, without counting. */
export async function readAttempts(db: Db, subject: AttemptSubject): Promise<Attempts> {
  const row = await db
    .selectFrom('product_attempt')
    .select(['count', 'time_ends'])
    .where('subject', '=', keyOf(subject))
    .where('time_ends', '>', timestamp())
    .executeTakeFirst()
  return row ? { count: row.count, secondsLeft: secondsUntil(row.time_ends) } : { count: 0, secondsLeft: 0 }
}

/** Resets the counter. */
export async function forgetAttempts(db: Db, subject: AttemptSubject): Promise<void> {
  await db.deleteFrom('product_attempt').where('subject', '=', keyOf(subject)).execute()
}

export async function deleteEndedAttempts(db: Db): Promise<void> {
  await db.deleteFrom('product_attempt').where('time_ends', '<', timestamp()).execute()
}

/** Hashed, because an e-mail address as typed may be anything, of any length. */
function keyOf(subject: AttemptSubject): string {
  const [[kind, name] = []] = Object.entries(subject) as [string, string][]
  return `${kind}:${createHash('sha256').update(String(name)).digest('hex')}`
}

const secondsUntil = (time: string): number => Math.max(1, Math.ceil((Date.parse(time) - Date.now()) / 1000))
