import type { CompiledQuery, Kysely, QueryExecutorProvider } from 'kysely'
import type { AnyDb, Db } from '../schema.ts'
import { PostgresPoolAdapter } from './postgres/dialect.ts'
import { SqliteFileAdapter } from './sqlite/dialect.ts'

/** A query of Kysely's builder, or a raw one. */
interface Query<R> {
  compile(executor: QueryExecutorProvider): CompiledQuery<R>
}

/**
 * Runs a query that only reads and may take long, on a thread (SQLite) or in the server (PostgreSQL): the event loop goes
 * on meanwhile. When the signal aborts, it rejects at once with the reason of the signal, and the statement is ended as
 * far as its engine can. In a transaction, in memory and on a host's own database it runs like any query.
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
 * The database for GraphQL operations. However many they are, on a pool of ours they leave a connection to the checks of
 * tokens, to logins and to probes. A host's own pool has no connections set apart.
 */
export function forOperations(db: Db): Db {
  const { adapter } = db.getExecutor()
  return adapter instanceof PostgresPoolAdapter && !db.isTransaction ? adapter.operations : db
}
