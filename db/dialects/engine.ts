import { sql } from 'kysely'
import { StartError } from '../../runtime/host-errors.ts'
import type { Db } from '../schema.ts'
import { databaseUrlForm, isDatabaseUrl, isPostgres } from '../url.ts'
import type { Engine, OperationDbOptions } from './interface.ts'
import { postgresEngine } from './postgres/engine.ts'
import { sqliteEngine } from './sqlite/engine.ts'

/** Makes a function that creates one object per database, even though each operation has its own Kysely instance. */
export function memoizeByDatabase<T extends object>(create: (db: Db) => T): (db: Db) => T {
  const objects = new WeakMap<object, T>()
  return db => {
    const { adapter } = db.getExecutor()
    const object = objects.get(adapter) ?? create(db)
    objects.set(adapter, object)
    return object
  }
}

/** Returns the engine of a database or transaction. Throws StartError for any other database system. */
export const engineOf: (db: Db) => Engine = memoizeByDatabase(db => {
  // Compares SQL, because the dialect of a host may be of any class.
  const comparison = sql`${sql.ref('a')} = ${0}`.compile(db).sql
  const engine = [sqliteEngine, postgresEngine].find(({ syntax }) => syntax.comparison === comparison)
  if (!engine) throw new StartError('PTS_BAD_DATABASE', 'the database must be SQLite or PostgreSQL')
  return engine
})

/** Returns the engine of a database URL. Throws StartError if the URL is invalid. */
export function engineOfUrl(url: string): Engine {
  if (!isDatabaseUrl(url))
    throw new StartError('PTS_BAD_OPTION', `the URL of the database must be ${databaseUrlForm}`)
  return isPostgres(url) ? postgresEngine : sqliteEngine
}

/**
 * Returns the database for a GraphQL operation. On PostgreSQL, operations leave one connection of the pool free for
 * token checks, logins and probes, and the signal cancels their statements. SQLite, and a database that a host has
 * opened, stay as they are.
 */
export const operationDb = (db: Db, options: OperationDbOptions = {}): Db =>
  db.isTransaction ? db : engineOf(db).forOperation(db, options)
