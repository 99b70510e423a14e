import type { CompiledQuery, QueryExecutorProvider } from 'kysely'
import type { Db } from '../schema.ts'
import { PostgresPoolAdapter } from './postgres/dialect.ts'
import { limitOperations } from './postgres/operations.ts'
import { SqliteFileAdapter } from './sqlite/dialect.ts'
import { abortOperation } from './sqlite/operations.ts'

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
  const executor = forOperations(db, signal).getExecutor()
  const { adapter } = executor
  const background =
    adapter instanceof SqliteFileAdapter && !db.isTransaction ? adapter.background : undefined
  const runner = background
    ? executor.withConnectionProvider({
        provideConnection: consumer => consumer(background.connection(signal))
      })
    : executor
  return (await runner.executeQuery(query.compile(db))).rows
}

/**
 * Returns the database for a GraphQL operation. On a pool of ours, operations leave one connection free for token checks,
 * logins and probes, and their statements are canceled when the signal aborts. On SQLite, the signal ends their wait
 * for a snapshot. A host's own pool has no reserved connection.
 */
export function forOperations(db: Db, signal?: AbortSignal): Db {
  const { adapter } = db.getExecutor()
  if (db.isTransaction) return db
  if (adapter instanceof PostgresPoolAdapter) return limitOperations(db, adapter.dialect, signal)
  if (adapter instanceof SqliteFileAdapter && signal) return abortOperation(db, adapter.dialect, signal)
  return db
}
