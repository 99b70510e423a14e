import { resolve } from 'node:path'
import type Sqlite from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings
} from 'kysely'
import { SqliteBackground } from './background.ts'
import { inodeOf, SqliteHandle } from './handle.ts'
import { SqliteWriters, whenFree } from './writers.ts'

/**
 * Kysely on better-sqlite3: writers in turn on one handle, readers beside them on another. With one handle
 * for both, as a database in memory has it, readers take turns, too.
 */
export class SqliteDialect implements Dialect {
  readonly #writer: Sqlite.Database
  readonly #reader: Sqlite.Database
  readonly #background: SqliteBackground | undefined

  constructor(writer: Sqlite.Database, reader: Sqlite.Database = writer) {
    this.#writer = writer
    this.#reader = reader
    const path = resolve(reader.name)
    const inode = reader.memory ? undefined : inodeOf(path)
    if (inode !== undefined) this.#background = new SqliteBackground({ path, inode })
  }

  createDriver = (): Driver => new SqliteDriver(this.#writer, this.#reader, this.#background)
  createQueryCompiler = () => new SqliteQueryCompiler()
  createAdapter = () => new SqliteFileAdapter(this.#background)
  createIntrospector = (db: ConstructorParameters<typeof SqliteIntrospector>[0]) => new SqliteIntrospector(db)
}

export class SqliteFileAdapter extends SqliteAdapter {
  /** For statements that take long; a database in memory has none. */
  readonly background: SqliteBackground | undefined

  constructor(background: SqliteBackground | undefined) {
    super()
    this.background = background
  }

  /** SQLite rolls back DDL: so a migration runs whole or not at all, and its transaction is its lock. */
  override get supportsTransactionalDdl() {
    return true
  }
  /** The driver lets writers wait, and nobody else. */
  override get supportsMultipleConnections() {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #writer: SqliteHandle
  readonly #reader: SqliteHandle
  readonly #writers = new SqliteWriters()
  readonly #background: SqliteBackground | undefined

  constructor(writer: Sqlite.Database, reader: Sqlite.Database, background: SqliteBackground | undefined) {
    this.#writer = new SqliteHandle(writer)
    this.#reader = reader === writer ? this.#writer : new SqliteHandle(reader)
    this.#background = background
  }

  async init() {}
  async acquireConnection() {
    return new SqliteConnection(this.#writer, this.#reader, this.#writers)
  }
  async releaseConnection() {}
  beginTransaction = (connection: SqliteConnection, settings: TransactionSettings) =>
    connection.begin(settings)
  commitTransaction = (connection: SqliteConnection) => connection.commit()
  rollbackTransaction = (connection: SqliteConnection) => connection.rollback()
  async destroy() {
    await this.#background?.destroy()
    for (const handle of [this.#reader, this.#writer]) {
      handle.forget()
      handle.file.close()
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #writer: SqliteHandle
  readonly #reader: SqliteHandle
  readonly #writers: SqliteWriters
  /** Ends the transaction's turn; undefined outside of one. */
  #end: (() => void) | undefined

  constructor(writer: SqliteHandle, reader: SqliteHandle, writers: SqliteWriters) {
    this.#writer = writer
    this.#reader = reader
    this.#writers = writers
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    // A change of the tables outdates what was prepared against them.
    if (!/^(Select|Insert|Update|Delete|Raw)/.test(query.kind)) this.#forget()
    if (this.#end) return this.#writer.execute(sql, parameters)
    this.#reader.assertLatelyInPlace()
    if (this.#reader !== this.#writer) {
      const statement = this.#reader.prepare(sql)
      if (statement.readonly) return whenFree(() => this.#reader.execute(statement, parameters))
    }
    const { result, end } = await this.#writers.turn(() => this.#writer.execute<R>(sql, parameters))
    end()
    this.#writer.assertInPlace()
    return result
  }

  /** Prepared apart: a statement that is being read from cannot run a second time. */
  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { file } = this.#end ? this.#writer : this.#reader
    for (const row of file.prepare(sql).iterate(parameters)) yield { rows: [row as R] }
  }

  /** A writer takes the lock at once: a lock taken half-way cannot wait for another one's end. */
  async begin({ accessMode }: TransactionSettings): Promise<void> {
    this.#reader.assertLatelyInPlace()
    const begin = accessMode === 'read only' ? 'begin' : 'begin immediate'
    this.#end = (await this.#writers.turn(() => this.#writer.execute(begin))).end
  }

  async commit(): Promise<void> {
    this.#writer.execute('commit')
    this.#leave()
    this.#writer.assertInPlace()
  }

  async rollback(): Promise<void> {
    try {
      // After some errors, a full disk for one, SQLite has rolled back by itself.
      if (this.#end && this.#writer.file.inTransaction) this.#writer.execute('rollback')
    } finally {
      this.#leave()
    }
  }

  #leave(): void {
    this.#end?.()
    this.#end = undefined
  }

  #forget(): void {
    this.#writer.forget()
    this.#reader.forget()
  }
}
