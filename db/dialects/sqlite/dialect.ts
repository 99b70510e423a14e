import type Sqlite from 'better-sqlite3'
import { type Driver, SqliteDialect as KyselySqliteDialect, SqliteAdapter } from 'kysely'
import { OpenFile, SqliteConnection } from './connection.ts'

/** Kysely's dialect for better-sqlite3 with our own driver. */
export class SqliteDialect extends KyselySqliteDialect {
  readonly file: OpenFile

  /** `reader` is a read-only handle on the same file. By default, readers use the handle of the writers. */
  constructor(writer: Sqlite.Database, reader: Sqlite.Database = writer) {
    super({ database: writer })
    this.file = new OpenFile(writer, reader)
  }

  override createAdapter() {
    return new SqliteFileAdapter(this)
  }

  override createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: async () => new SqliteConnection(this.file),
      releaseConnection: async () => {},
      beginTransaction: (connection, settings) => (connection as SqliteConnection).begin(settings),
      commitTransaction: connection => (connection as SqliteConnection).commit(),
      rollbackTransaction: connection => (connection as SqliteConnection).rollback(),
      destroy: () => this.file.close()
    }
  }
}

export class SqliteFileAdapter extends SqliteAdapter {
  readonly dialect: SqliteDialect

  constructor(dialect: SqliteDialect) {
    super()
    this.dialect = dialect
  }

  /** Tells Kysely not to queue statements. The driver itself makes writers wait. */
  override get supportsMultipleConnections() {
    return true
  }
}
