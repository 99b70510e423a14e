import type { CompiledQuery, QueryExecutorProvider } from 'kysely'
import type { Db } from '../schema.ts'
import { engineOf } from './engine.ts'

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
export const forOperations = (db: Db, signal?: AbortSignal): Db =>
  db.isTransaction ? db : engineOf(db).forOperation(db, signal)
