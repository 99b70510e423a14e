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
import { inStatementSpan } from '../statement-span.ts'
import { SqliteBackground } from './background.ts'
import { readFileFigures } from './figures.ts'
import { inodeOf, SqliteHandle } from './handle.ts'
import { openReaderOf } from './reader.ts'
import { SqliteSnapshots } from './snapshots.ts'
import { SqliteWriters, whenFree } from './writers.ts'

/**
 * Kysely dialect for better-sqlite3. Writers take turns on one handle, readers use another one at the same time, and
 * read-only transactions have their own handles. A database in memory has one handle, so readers take turns too.
 */
export class SqliteDialect implements Dialect {
  readonly #handles: Handles
  readonly #background: SqliteBackground | undefined

  constructor(writer: Sqlite.Database, reader: Sqlite.Database = writer) {
    const path = resolve(reader.name)
    const inode = reader.memory ? undefined : inodeOf(path)
    const file = inode === undefined ? undefined : { path, inode }
    this.#background = file && new SqliteBackground(file)
    const handle = new SqliteHandle(writer)
    this.#handles = {
      writer: handle,
      reader: reader === writer ? handle : new SqliteHandle(reader),
      writers: new SqliteWriters(),
      snapshots: file && new SqliteSnapshots(() => openReaderOf(file.path, file.inode, snapshotCache))
    }
  }

  createDriver = (): Driver => new SqliteDriver(this.#handles, this.#background)
  createQueryCompiler = () => new SqliteQueryCompiler()
  createAdapter = () => new SqliteFileAdapter(this, this.#background, this.#handles)
  createIntrospector = (db: ConstructorParameters<typeof SqliteIntrospector>[0]) => new SqliteIntrospector(db)
}

export class SqliteFileAdapter extends SqliteAdapter {
  readonly dialect: SqliteDialect
  /** Runs long statements on threads; a database in memory has none. */
  readonly background: SqliteBackground | undefined
  readonly #handles: Handles

  constructor(dialect: SqliteDialect, background: SqliteBackground | undefined, handles: Handles) {
    super()
    this.dialect = dialect
    this.background = background
    this.#handles = handles
  }

  /** Returns a number that changes with every commit of any process. Throws if the file is not in place. */
  commitMark(): number | undefined {
    const { reader } = this.#handles
    reader.assertLatelyInPlace()
    return reader.commitMark()
  }

  /** Runs a job of the writing transaction. Meanwhile, the page cache has this many KiB. */
  async withCache(size: number, job: () => Promise<void>): Promise<void> {
    const { file } = this.#handles.writer
    // Not as statements: SQLite runs a pragma as it prepares it, and prepared statements are kept.
    const before = file.pragma('cache_size', { simple: true })
    file.pragma(`cache_size = ${-size}`)
    try {
      await job()
    } finally {
      file.pragma(`cache_size = ${before}`)
    }
  }

  /** Reads the figures of the file and of those who wait for it. */
  readFigures() {
    const { reader, writers } = this.#handles
    const { waiting, timeouts } = writers
    return {
      store_writers_waiting: waiting,
      store_writer_timeouts_total: timeouts,
      ...(!reader.file.memory && readFileFigures(reader.file.name))
    }
  }

  observeWriters(observe: (seconds: number) => void): () => void {
    const { observers } = this.#handles.writers
    observers.add(observe)
    return () => void observers.delete(observe)
  }

  /** SQLite rolls back DDL, so a migration is atomic and its transaction is its lock. */
  override get supportsTransactionalDdl() {
    return true
  }
  /** The driver makes only writers wait. */
  override get supportsMultipleConnections() {
    return true
  }
}

/** KiB. A list reads each page once. */
const snapshotCache = 2048

/** The open handles of a file. In memory, the writer is also the reader, and there are no snapshots. */
interface Handles {
  writer: SqliteHandle
  reader: SqliteHandle
  writers: SqliteWriters
  snapshots: SqliteSnapshots | undefined
}

class SqliteDriver implements Driver {
  readonly #handles: Handles
  readonly #background: SqliteBackground | undefined

  constructor(handles: Handles, background: SqliteBackground | undefined) {
    this.#handles = handles
    this.#background = background
  }

  async init() {}
  async acquireConnection() {
    return new SqliteConnection(this.#handles)
  }
  async releaseConnection() {}
  beginTransaction = (connection: SqliteConnection, settings: TransactionSettings) =>
    connection.begin(settings)
  commitTransaction = (connection: SqliteConnection) => connection.commit()
  rollbackTransaction = (connection: SqliteConnection) => connection.rollback()
  async destroy() {
    await this.#background?.destroy()
    const { reader, writer, snapshots } = this.#handles
    snapshots?.destroy()
    for (const handle of [reader, writer]) {
      handle.forget()
      handle.file.close()
    }
  }
}

export class SqliteConnection implements DatabaseConnection {
  /** Ends its wait for a snapshot. */
  signal: AbortSignal | undefined
  readonly #handles: Handles
  /** The handle of the transaction and the function that ends its turn; undefined outside a transaction. */
  #transaction: { handle: SqliteHandle; end: () => void } | undefined

  constructor(handles: Handles) {
    this.#handles = handles
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return inStatementSpan('sqlite', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader, writers } = this.#handles
    // A schema change invalidates prepared statements.
    if (!/^(Select|Insert|Update|Delete|Raw)/.test(query.kind)) this.#forget()
    if (this.#transaction) return this.#transaction.handle.execute(sql, parameters)
    reader.assertLatelyInPlace()
    if (reader !== writer) {
      const statement = reader.prepare(sql)
      if (statement.readonly) return whenFree(() => reader.execute(statement, parameters))
    }
    const { result, end } = await writers.turn(() => writer.execute<R>(sql, parameters))
    end()
    writer.assertInPlace()
    return result
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface has it.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streams are not supported')
  }

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    const { writer, reader, writers, snapshots } = this.#handles
    reader.assertLatelyInPlace()
    if (accessMode === 'read only' && snapshots) {
      const { handle, release } = await snapshots.lease(this.signal)
      try {
        handle.execute('begin')
      } catch (error) {
        release()
        throw error
      }
      this.#transaction = { handle, end: release }
      return
    }
    // A writer takes the lock at the start: SQLite cannot wait for a lock in the middle of a transaction.
    const begin = accessMode === 'read only' ? 'begin' : 'begin immediate'
    const { end } = await writers.turn(() => writer.execute(begin))
    this.#transaction = { handle: writer, end }
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
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (handle?.file.inTransaction) handle.execute('rollback')
    } finally {
      this.#leave()
    }
  }

  #leave(): void {
    this.#transaction?.end()
    this.#transaction = undefined
  }

  #forget(): void {
    this.#handles.writer.forget()
    this.#handles.reader.forget()
  }
}
