import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { findInode, openReadHandle, SqliteHandle } from './handle.ts'
import { Reserve } from './reserve.ts'
import { SqliteThreads } from './threads.ts'
import { SqliteWriters } from './writers.ts'

/** Handles for read-only transactions. */
const maxSnapshots = 4
/** KiB of the cache of each. A small one is enough, because a list reads each page once. */
const snapshotCache = 8192

/**
 * An open database with its handles: one for writers, who use it one after the other, one for readers, and more for
 * read-only transactions and threads. A database in memory has one handle for all.
 */
export class OpenFile {
  readonly writer: SqliteHandle
  readonly reader: SqliteHandle
  readonly writers = new SqliteWriters()
  /** undefined without a handle for readers. */
  readonly snapshots: Reserve<SqliteHandle> | undefined
  /** undefined without a handle for readers. */
  readonly threads: SqliteThreads | undefined

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

  /** Returns a number that changes with every commit by any process. Throws if the file is not in place. */
  commitMark(): number | undefined {
    this.reader.assertLatelyInPlace()
    return this.reader.commitMark()
  }

  /** Reads the metrics of the file and its writers. */
  readFigures() {
    const { memory, name } = this.reader.file
    const queue = { store_writer_timeouts_total: this.writers.timeouts }
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
