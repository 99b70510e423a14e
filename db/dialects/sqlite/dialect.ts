import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  SqliteDialect as KyselySqliteDialect,
  type QueryResult,
  SqliteAdapter,
  type TransactionSettings
} from 'kysely'
import { ResourcePool, Semaphore } from '../../../runtime/semaphore.ts'
import { refuseStream, traceStatement } from '../interface.ts'
import { busyTimeout, findInode, isBusy, openReadHandle, retryWhileBusy, SqliteHandle } from './handle.ts'

/** Handles for read-only transactions. */
const maxSnapshots = 4
/** KiB of the cache of each handle. A small cache is enough, because a list reads each page once. */
const snapshotCache = 8192
const waitLimit = {
  milliseconds: busyTimeout,
  error: () => new Sqlite.SqliteError('another writer uses the database', 'SQLITE_BUSY')
}

/**
 * Kysely's dialect for better-sqlite3 with our own driver. It has the handles of the open database: one for writers,
 * who use it one after the other, one for readers, and more for read-only transactions. A database in memory has one
 * handle for all.
 */
export class SqliteDialect extends KyselySqliteDialect {
  readonly writer: SqliteHandle
  readonly reader: SqliteHandle
  /** undefined without a handle for readers. */
  readonly snapshots: ResourcePool<SqliteHandle> | undefined
  readonly #writers = new Semaphore(1)
  readonly #observers = new Set<(seconds: number) => void>()
  /** Writers that gave up. */
  #timeouts = 0

  /** `reader` is a read-only handle on the same file. By default, readers use the handle of the writers. */
  constructor(writer: Sqlite.Database, reader: Sqlite.Database = writer) {
    super({ database: writer })
    this.writer = new SqliteHandle(writer)
    this.reader = reader === writer ? this.writer : new SqliteHandle(reader)
    if (reader === writer) return
    const path = resolve(reader.name)
    const inode = findInode(path) as number
    this.snapshots = new ResourcePool(
      maxSnapshots,
      () => openReadHandle({ path, inode }, snapshotCache),
      handle => handle.file.close()
    )
  }

  override createAdapter(): DialectAdapter {
    return Object.assign(new SqliteFileAdapter(), { dialect: this })
  }

  override createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: async () => new SqliteConnection(this),
      releaseConnection: async () => {},
      beginTransaction: (connection, settings) => (connection as SqliteConnection).begin(settings),
      commitTransaction: connection => (connection as SqliteConnection).commit(),
      rollbackTransaction: connection => (connection as SqliteConnection).rollback(),
      destroy: async () => this.#close()
    }
  }

  /**
   * Waits for earlier writers, then calls `begin` until no other process holds the lock. No other caller writes before
   * `leave`. Waits without blocking the event loop, which SQLite would block. Rejects with SQLITE_BUSY after
   * {@link busyTimeout}.
   */
  async enterWriter<T>(begin: () => T): Promise<{ result: T; leave: () => void }> {
    const since = performance.now()
    let leave: (() => void) | undefined
    try {
      leave = await this.#writers.take(undefined, waitLimit)
      const result = await retryWhileBusy(begin, since + busyTimeout)
      for (const observe of this.#observers) observe((performance.now() - since) / 1000)
      return { result, leave }
    } catch (error) {
      leave?.()
      if (isBusy(error)) this.#timeouts++
      throw error
    }
  }

  /** Calls a function with the seconds that each writer waited. Returns the function that stops this. */
  observeWriters(observer: (seconds: number) => void): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /** Reads the metrics of the file and its writers. */
  readMetricValues() {
    const { memory, name } = this.reader.file
    const queue = { store_writer_timeouts_total: this.#timeouts }
    if (memory) return queue
    const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
    const { bavail, bsize } = statfsSync(dirname(name))
    return {
      ...queue,
      store_file_bytes: { database: sizeOf(name), log: sizeOf(`${name}-wal`) },
      store_disk_free_bytes: bavail * bsize
    }
  }

  #close(): void {
    this.snapshots?.close(new Error('the database is closed'))
    this.reader.file.close()
    this.writer.file.close()
  }
}

class SqliteFileAdapter extends SqliteAdapter {
  /** Tells Kysely not to queue statements. The driver itself makes writers wait. */
  override get supportsMultipleConnections() {
    return true
  }
}

/** Runs the statements of one caller, each on the right handle. */
class SqliteConnection implements DatabaseConnection {
  readonly #database: SqliteDialect
  /** The handle of the transaction. No other caller uses it before `leave`. undefined outside a transaction. */
  #transaction: { handle: SqliteHandle; leave: () => void } | undefined

  constructor(database: SqliteDialect) {
    this.#database = database
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return traceStatement('sqlite', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader } = this.#database
    if (this.#transaction) return this.#transaction.handle.execute(sql, parameters)
    reader.assertLatelyInPlace()
    if (reader !== writer) {
      const statement = await retryWhileBusy(() => reader.findStatement(sql))
      if (statement.readonly) return retryWhileBusy(() => reader.execute(statement, parameters))
    }
    const { result, leave } = await this.#database.enterWriter(() => writer.execute<R>(sql, parameters))
    leave()
    writer.assertInPlace()
    return result
  }

  streamQuery = refuseStream

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    const { writer, reader, snapshots } = this.#database
    reader.assertLatelyInPlace()
    if (accessMode === 'read only' && snapshots) {
      const { resource: handle, giveBack: leave } = await snapshots.take()
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
    const { leave } = await this.#database.enterWriter(() => writer.execute(begin))
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
