import type Sqlite from 'better-sqlite3'
import {
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler
} from 'kysely'
import { SqliteConnection } from './connection.ts'
import { OpenFile } from './file/open-file.ts'

/** Kysely dialect for better-sqlite3. */
export class SqliteDialect implements Dialect {
  readonly file: OpenFile

  /** `reader` is a read-only handle on the same file. Without it, readers use the handle of the writers. */
  constructor(writer: Sqlite.Database, reader: Sqlite.Database = writer) {
    this.file = new OpenFile(writer, reader)
  }

  createQueryCompiler = () => new SqliteQueryCompiler()
  createAdapter = () => new SqliteFileAdapter(this)
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db)
  createDriver = (): Driver => ({
    init: async () => {},
    acquireConnection: async () => new SqliteConnection(this.file),
    releaseConnection: async () => {},
    beginTransaction: (connection, settings) => (connection as SqliteConnection).begin(settings),
    commitTransaction: connection => (connection as SqliteConnection).commit(),
    rollbackTransaction: connection => (connection as SqliteConnection).rollback(),
    destroy: () => this.file.close()
  })
}

export class SqliteFileAdapter extends SqliteAdapter {
  readonly dialect: SqliteDialect

  constructor(dialect: SqliteDialect) {
    super()
    this.dialect = dialect
  }

  /** The driver makes only writers wait. */
  override get supportsMultipleConnections() {
    return true
  }
}
