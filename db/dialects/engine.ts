import { type CompiledQuery, type QueryExecutorProvider, sql } from 'kysely'
import { StartError } from '../../errors.ts'
import { perDatabase } from '../per-database.ts'
import type { AnyDb, Db } from '../schema.ts'
import { databaseUrlForm, isDatabaseUrl } from '../url.ts'
import type { Engine } from './interface.ts'
import { postgresEngine } from './postgres/engine.ts'
import { sqliteEngine } from './sqlite/engine.ts'

const engines: Engine[] = [sqliteEngine, postgresEngine]

/** Returns the engine of a database or transaction. Throws StartError for one that is not supported. */
export const engineOf: (db: Db | AnyDb) => Engine = perDatabase(db => {
  // It compares SQL, because a host's dialect may be of any class.
  const written = sql`${sql.ref('a')} = ${0}`.compile(db).sql
  const engine = engines.find(({ syntax }) => syntax.comparison === written)
  if (!engine) throw new StartError('PTS_BAD_DATABASE', 'the database must be SQLite or PostgreSQL')
  return engine
})

/** Returns the engine of a database URL. Throws StartError if the URL is invalid. */
export function engineOfUrl(url: string): Engine {
  const engine = isDatabaseUrl(url) && engines.find(engine => engine.url.test(url))
  if (!engine) throw new StartError('PTS_BAD_OPTION', `the URL of the database must be ${databaseUrlForm}`)
  return engine
}

/** A query from Kysely's builder or a raw query. */
export interface Query<R> {
  compile(executor: QueryExecutorProvider): CompiledQuery<R>
}

/**
 * Runs a long read-only query without blocking the event loop: on a thread (SQLite) or in the server (PostgreSQL). If
 * the signal aborts, it rejects at once with the reason of the signal, and the engine ends the statement if it can. In
 * a transaction, in memory and on a host's own database it runs like any query.
 */
export async function runInBackground<R>(db: Db, query: Query<R>, signal?: AbortSignal): Promise<R[]> {
  signal?.throwIfAborted()
  const target = db.isTransaction ? db : engineOf(db).forLongQuery(db, signal)
  return (await target.executeQuery(query.compile(target))).rows
}

/**
 * Returns the database for a GraphQL operation. On a pool of ours, operations leave one connection free for token checks,
 * logins and probes, and their statements are canceled when the signal aborts. On SQLite, the signal ends their wait
 * for a snapshot. A host's own pool has no reserved connection.
 */
export const operationDb = (db: Db, signal?: AbortSignal): Db =>
  db.isTransaction ? db : engineOf(db).forOperation(db, signal)
