import type Sqlite from 'better-sqlite3'
import type { CompiledQuery, QueryResult, TransactionSettings } from 'kysely'
import { type Driver, SqliteDialect as KyselySqliteDialect, SqliteAdapter } from 'kysely'
import { refuseStream, traceStatement } from '../connections.ts'
import type { SqliteHandle } from './file/handle.ts'
import { OpenFile } from './file/open-file.ts'
import type { TransactionConnection } from './file/threads.ts'
import { retryWhileBusy } from './file/writers.ts'

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
      beginTransaction: (connection, settings) => (connection as TransactionConnection).begin(settings),
      commitTransaction: connection => (connection as TransactionConnection).commit(),
      rollbackTransaction: connection => (connection as TransactionConnection).rollback(),
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

/** Runs the statements of one caller, each on the right handle. */
export class SqliteConnection implements TransactionConnection {
  /** Ends the wait for a snapshot. */
  signal: AbortSignal | undefined
  readonly #file: OpenFile
  /** The handle of the transaction. No other caller uses it before `leave`. undefined outside a transaction. */
  #transaction: { handle: SqliteHandle; leave: () => void } | undefined

  constructor(file: OpenFile) {
    this.#file = file
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return traceStatement('sqlite', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader, writers } = this.#file
    if (!/^(Select|Insert|Update|Delete|Raw)/.test(query.kind)) this.#file.forgetStatements()
    if (this.#transaction) return this.#transaction.handle.execute(sql, parameters)
    reader.assertLatelyInPlace()
    if (reader !== writer) {
      const statement = await retryWhileBusy(() => reader.prepare(sql))
      if (statement.readonly) return retryWhileBusy(() => reader.execute(statement, parameters))
    }
    const { result, leave } = await writers.enter(() => writer.execute<R>(sql, parameters))
    leave()
    writer.assertInPlace()
    return result
  }

  streamQuery = refuseStream

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    const { writer, reader, writers, snapshots } = this.#file
    reader.assertLatelyInPlace()
    if (accessMode === 'read only' && snapshots) {
      const { resource: handle, giveBack: leave } = await snapshots.take(this.signal)
      this.#transaction = { handle, leave }
      try {
        handle.assertInPlace()
        handle.execute('begin')
      } catch (error) {
        this.#leave()
        throw error
      }
      return
    }
    // A writer takes the lock at the start: SQLite cannot wait for a lock in the middle of a transaction.
    const begin = accessMode === 'read only' ? 'begin' : 'begin immediate'
    const { leave } = await writers.enter(() => writer.execute(begin))
    this.#transaction = { handle: writer, leave }
  }

  async commit(): Promise<void> {
    const handle = this.#transaction?.handle
    handle?.execute('commit')
    this.#leave()
    handle?.assertInPlace()
  }

  async rollback(): Promise<void> {
    const handle = this.#transaction?.handle
    try {
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (handle?.file.inTransaction) handle.execute('rollback')
    } finally {
      this.#leave()
    }
  }

  #leave(): void {
    this.#transaction?.leave()
    this.#transaction = undefined
  }
}
