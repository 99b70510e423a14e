import { clockSkewSeconds, secondsAgo, timestamp } from '../../domain/timestamp.ts'
import type { AnyDb, Db } from '../schema.ts'
import type { Tables } from '../tables.ts'
import type { SessionLifetime } from './logins/sessions.ts'

/** Seconds after the expiry of an authorization code in which a second use is noticed, RFC 6749 §4.1.2. */
const usedCodeMemory = 86_400

/**
 * Makes the queries that delete rows and replaced secrets which have expired on the clocks of all instances.
 * `accessTokenTtl` is in seconds.
 */
export const expiredRows = (
  db: Db,
  tables: Tables,
  { accessTokenTtl, sessionTtl, sessionIdleTtl }: SessionLifetime & { accessTokenTtl: number }
) => [
  ...Object.keys(tables)
    .filter(table => tables[table]?.expires)
    .map(table => (db as AnyDb).deleteFrom(table).where('time_expires', '<', secondsAgo(clockSkewSeconds))),
  ...Object.entries(tables).flatMap(([table, { previousSecret }]) =>
    previousSecret === undefined
      ? []
      : (db as AnyDb)
          .updateTable(table)
          .set({ [previousSecret]: null, time_previous_expires: null })
          .where('time_previous_expires', '<=', timestamp())
  ),
  // An access token issued at the very end of a family still belongs to it.
  db
    .deleteFrom('product_token_family')
    .where('time_expires', '<', secondsAgo(accessTokenTtl + clockSkewSeconds)),
  db.deleteFrom('product_attempt').where('time_ends', '<', timestamp()),
  // The second use of a code ends the tokens of the first one. An unused code has none.
  db
    .deleteFrom('product_authorization_code')
    .where('time_expires', '<', secondsAgo(clockSkewSeconds))
    .where(({ or, eb }) =>
      or([eb('time_used', 'is', null), eb('time_expires', '<', secondsAgo(usedCodeMemory))])
    ),
  db
    .deleteFrom('product_session')
    .where(({ or, eb }) =>
      or([eb('time_created', '<', secondsAgo(sessionTtl)), eb('time_used', '<', secondsAgo(sessionIdleTtl))])
    )
]
