import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { findInode, SqliteHandle } from './handle.ts'
import { openReadHandle } from './open.ts'
import { Reserve } from './reserve.ts'
import { SqliteThreads } from './threads.ts'
import { SqliteWriters } from './writers.ts'

/** Handles for read-only transactions, and the KiB of their caches: a list reads each page once. */
const maxSnapshots = 4
const snapshotCache = 8192

/**
 * An open database with its handles: one for writers, who use it one after the other, one for readers, and those of
 * read-only transactions and of threads. A database in memory has only one handle, for all.
 */
export class OpenFile {
  readonly writer: SqliteHandle
  readonly reader: SqliteHandle
  readonly writers = new SqliteWriters()
  /** Absent without a handle for readers. */
  readonly snapshots: Reserve<SqliteHandle> | undefined
  /** Absent without a handle for readers. */
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

  /** Returns a number that changes with every commit of any process. Throws if the file is not in place. */
  commitMark(): number | undefined {
    this.reader.assertLatelyInPlace()
    return this.reader.commitMark()
  }

  /** Reads the figures of the file and of those who wait for it. */
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

  /** A schema change invalidates prepared statements. */
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
