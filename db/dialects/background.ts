import type { CompiledQuery, Kysely, QueryExecutorProvider } from 'kysely'
import type { AnyDb, Db } from '../schema.ts'
import { PostgresPoolAdapter } from './postgres/dialect.ts'
import { SqliteFileAdapter } from './sqlite/dialect.ts'

/** A query from Kysely's builder or a raw query. */
export interface Query<R> {
  compile(executor: QueryExecutorProvider): CompiledQuery<R>
}

/**
 * Runs a long read-only query without blocking the event loop: on a thread (SQLite) or in the server (PostgreSQL). If
 * the signal aborts, it rejects at once with the reason of the signal, and the engine ends the statement if it can. In
 * a transaction, in memory and on a host's own database it runs like any query.
 */
export async function runInBackground<R>(
  db: Db | AnyDb,
  query: Query<R>,
  signal?: AbortSignal
): Promise<R[]> {
  signal?.throwIfAborted()
  const executor = (db as Kysely<unknown>).getExecutor()
  const background = db.isTransaction ? undefined : backgroundOf(executor.adapter)
  const runner = background
    ? executor.withConnectionProvider({
        provideConnection: consumer => consumer(background.connection(signal))
      })
    : executor
  return (await runner.executeQuery(query.compile(db))).rows
}

function backgroundOf(adapter: unknown) {
  const ours = adapter instanceof SqliteFileAdapter || adapter instanceof PostgresPoolAdapter
  return ours ? adapter.background : undefined
}

/**
 * Returns the database for GraphQL operations. They always leave one connection of the pool free for token checks,
 * logins and probes. A host's own pool has no reserved connection.
 */
export function forOperations(db: Db): Db {
  const executor = db.getExecutor()
  const { adapter } = executor
  return adapter instanceof PostgresPoolAdapter && !db.isTransaction ? adapter.forOperations(executor) : db
}
