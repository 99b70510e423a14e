import { Kysely } from 'kysely'
import type { Database, Db } from '../../schema.ts'
import type { SqliteConnection, SqliteDialect } from './dialect.ts'

/** Returns the database for an operation. If the signal aborts, read-only transactions stop waiting for a snapshot. */
export function abortOperation(db: Db, dialect: SqliteDialect, signal: AbortSignal): Db {
  const executor = db.getExecutor()
  const abortable = executor.withConnectionProvider({
    provideConnection: consumer =>
      executor.provideConnection(connection => {
        Object.assign(connection as SqliteConnection, { signal })
        return consumer(connection)
      })
  })
  return new Kysely<Database>({
    config: { dialect },
    dialect,
    driver: dialect.createDriver(),
    executor: abortable
  })
}
