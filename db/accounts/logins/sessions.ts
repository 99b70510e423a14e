import { clockSkewSeconds, secondsAgo, secondsFromNow, timestamp } from '../../../domain/timestamp.ts'
import { affectsRows } from '../../affects-rows.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db } from '../../schema.ts'
import { findUnchangedUser, type StoredUser } from '../users.ts'

/** The following times are in seconds. */
export interface SessionLifetime {
  /** A session that was not used for this time ends. */
  sessionIdleTtl: number
  /** A session ends after this time in any case. */
  sessionTtl: number
}

/** A login of a browser. */
export type Session = NonNullable<Awaited<ReturnType<typeof findSession>>>

/** Seconds between two writes of the time of the last use. */
const useInterval = 60
/** Sessions that the account page shows. */
const maxListed = 100

/** Stores a session. `browser` describes the browser to people. */
export async function insertSession(
  db: Db,
  hash: string,
  { id, tokenEpoch }: StoredUser,
  browser: string
): Promise<void> {
  const now = timestamp()
  const times = { time_created: now, time_used: now }
  await db
    .insertInto('product_session')
    .values({ hash, user_id: id, token_epoch: tokenEpoch, browser, ...times })
    .execute()
}

/** Selects from the sessions that are not too old, and not of the future: then a clock was wrong. */
export const unexpiredSessions = (db: Db, { sessionIdleTtl, sessionTtl }: SessionLifetime) =>
  db
    .selectFrom('product_session')
    .where('product_session.time_created', '>', secondsAgo(sessionTtl))
    .where('product_session.time_created', '<=', secondsFromNow(clockSkewSeconds))
    .where('time_used', '>', secondsAgo(sessionIdleTtl))

/** Finds a session, unless it is too old, the password has changed or the user is disabled. */
export async function findSession(db: Db, hash: string, lifetime: SessionLifetime) {
  const row = await unexpiredSessions(prepared(db), lifetime)
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirst()
  const user = row && (await findUnchangedUser(db, { id: row.user_id, tokenEpoch: row.token_epoch }))
  if (!user) return undefined
  if (row.time_used < secondsAgo(Math.min(useInterval, lifetime.sessionIdleTtl / 2)))
    await db.updateTable('product_session').set({ time_used: timestamp() }).where('hash', '=', hash).execute()
  return { hash, user, timeCreated: row.time_created }
}

/** Lists the current sessions of a user, beginning with the one that was used last. */
export const listSessions = (db: Db, { id, tokenEpoch }: StoredUser, lifetime: SessionLifetime) =>
  unexpiredSessions(db, lifetime)
    .select(['hash', 'browser', 'time_created as timeCreated', 'time_used as timeUsed'])
    .where('user_id', '=', id)
    .where('token_epoch', '=', tokenEpoch)
    .orderBy('time_used', 'desc')
    .limit(maxListed)
    .execute()

/** Deletes a session; with `userId`, only one of this user. Returns whether there was one. */
export const deleteSession = (db: Db, hash: string, userId?: string): Promise<boolean> =>
  affectsRows(
    db
      .deleteFrom('product_session')
      .where(({ and }) => and({ hash, ...(userId !== undefined && { user_id: userId }) }))
  )
