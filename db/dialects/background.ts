import type { CompiledQuery, Kysely, QueryExecutorProvider } from 'kysely'
import type { AnyDb, Db } from '../schema.ts'
import { SqliteFileAdapter } from './sqlite/dialect.ts'

/** A query of Kysely's builder, or a raw one. */
interface Query<R> {
  compile(executor: QueryExecutorProvider): CompiledQuery<R>
}

/**
 * Runs a query that may take long, and only reads, so that the event loop goes on meanwhile: SQLite files have threads
 * for that, on other databases and in a transaction it runs like any query. Rejects with the reason of the signal when
 * that aborts.
 */
export async function runInBackground<R>(
  db: Db | AnyDb,
  query: Query<R>,
  signal?: AbortSignal
): Promise<R[]> {
  signal?.throwIfAborted()
  const executor = (db as Kysely<unknown>).getExecutor()
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
