import { isPostgres, type MigratedDb } from './columns.ts'
import { raiseOnPostgres } from './triggers/raise-on-postgres.ts'
import { raiseOnSqlite } from './triggers/raise-on-sqlite.ts'

/**
 * The versions of what is read often: random values that triggers change in the transaction of whoever writes, so that
 * equal versions mean equal contents. `access` is everything that can end a token before it expires.
 */
export const up = (db: MigratedDb): Promise<void> =>
  isPostgres(db) ? raiseOnPostgres(db) : raiseOnSqlite(db)
