import { raiseOnPostgres } from './0009-triggers-postgres.ts'
import { raiseOnSqlite } from './0009-triggers-sqlite.ts'
import { isPostgres, type MigratedDb } from './columns.ts'

/**
 * The versions of what is read often: random values that triggers change in the transaction of whoever writes, so that
 * equal versions mean equal contents. `access` is everything that can end a token before it expires.
 */
export const up = (db: MigratedDb): Promise<void> =>
  isPostgres(db) ? raiseOnPostgres(db) : raiseOnSqlite(db)
