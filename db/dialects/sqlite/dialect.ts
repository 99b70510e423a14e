import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type Driver, SqliteDialect as KyselySqliteDialect, SqliteAdapter } from 'kysely'
import { Reserve, Semaphore } from '../../../semaphore.ts'
import { SqliteConnection, type TransactionConnection } from './connection.ts'
import { busyTimeout, findInode, isBusy, openReadHandle, retryWhileBusy, SqliteHandle } from './handle.ts'
import { SqliteThreads } from './threads.ts'

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

/** Handles for read-only transactions. */
const maxSnapshots = 4
/** KiB of the cache of each. A small one is enough, because a list reads each page once. */
const snapshotCache = 8192
const patience = {
  milliseconds: busyTimeout,
  error: () => new Sqlite.SqliteError('another writer uses the database', 'SQLITE_BUSY')
}

/**
 * An open database with its handles: one for writers, who use it one after the other, one for readers, and more for
 * read-only transactions and threads. A database in memory has one handle for all.
 */
export class OpenFile {
  readonly writer: SqliteHandle
  readonly reader: SqliteHandle
  /** undefined without a handle for readers. */
  readonly snapshots: Reserve<SqliteHandle> | undefined
  /** undefined without a handle for readers. */
  readonly threads: SqliteThreads | undefined
  readonly #writers = new Semaphore(1)
  readonly #observers = new Set<(seconds: number) => void>()
  /** Writers that gave up. */
  #timeouts = 0

  constructor(writer: Sqlite.Database, reader: Sqlite.Database) {
    this.writer = new SqliteHandle(writer)
    this.reader = reader === writer ? this.writer : new SqliteHandle(reader)
    if (reader === writer) return
    const path = resolve(reader.name)
    const inode = findInode(path) as number
    this.snapshots = new Reserve(
      maxSnapshots,
      () => openReadHandle({ path, inode }, snapshotCache),
      handle => handle.close()
    )
    this.threads = new SqliteThreads({ path, inode })
  }

  /**
   * Waits for earlier writers, then calls `begin`, again until no other process holds the lock. Nobody else writes before
   * `leave`. Waits without blocking the event loop, which SQLite would block. Rejects with SQLITE_BUSY after
   * {@link busyTimeout}.
   */
  async enterWriter<T>(begin: () => T): Promise<{ result: T; leave: () => void }> {
    const since = performance.now()
    let leave: (() => void) | undefined
    try {
      leave = await this.#writers.take(undefined, patience)
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
  readFigures() {
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

  /** Drops the prepared statements, because a change of the schema invalidates them. */
  forgetStatements(): void {
    this.writer.forgetStatements()
    this.reader.forgetStatements()
  }

  async close(): Promise<void> {
    await this.threads?.close()
    this.snapshots?.close()
    this.reader.close()
    if (this.writer !== this.reader) this.writer.close()
  }
}
