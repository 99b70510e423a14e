import { statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'
import { codeOf } from '../faults.ts'
import type { DatabaseFile } from '../interface.ts'

/** Prepared statements in the cache. Preparing one takes about four times as long as executing a look-up. */
const maxStatements = 256
/** Characters of a statement in the cache. Longer ones, of large filters, hardly recur. */
const maxCachedLength = 10_000
/** Milliseconds that a writer waits for the writers of all processes. */
export const busyTimeout = 5000
/** Milliseconds between two attempts. SQLite gives its lock to whoever asks next, however long others have waited. */
export const busyPause = 5
/** Milliseconds between two checks by readers whether the file is in place. */
const checkInterval = 100

/** A handle on a database file, with its prepared statements. It checks that the file is still in place. */
export class SqliteHandle {
  readonly file: Sqlite.Database
  readonly #statements = new LRUCache<string, Sqlite.Statement>({ max: maxStatements })
  readonly #inode: number | undefined
  #checkedAt = Number.NEGATIVE_INFINITY

  /** `inode` is that of the expected file, by default that of the file that is now at the path. */
  constructor(file: Sqlite.Database, inode = file.memory ? undefined : findInode(file.name)) {
    this.file = file
    this.#inode = inode
  }

  execute<R>(sql: string | Sqlite.Statement, parameters: readonly unknown[] = []): QueryResult<R> {
    try {
      const statement = typeof sql === 'string' ? this.findStatement(sql) : sql
      if (statement.reader) return { rows: statement.all(parameters) as R[] }
      const { changes, lastInsertRowid } = statement.run(parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      // If the file was removed or replaced, that is the more useful error.
      if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(codeOf(error))) this.assertInPlace()
      throw error
    }
  }

  /** Returns a prepared statement, if possible a cached one. SQLite prepares it again after a change of the schema. */
  findStatement(sql: string): Sqlite.Statement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.file.prepare(sql)
    if (sql.length <= maxCachedLength) this.#statements.set(sql, statement)
    return statement
  }

  /** Like {@link assertInPlace}, but checks only every {@link checkInterval} milliseconds. Readers use this. */
  assertLatelyInPlace(): void {
    if (performance.now() - this.#checkedAt > checkInterval) this.assertInPlace()
  }

  /**
   * Throws SQLITE_READONLY_DBMOVED if the file was removed, moved or replaced, until it is back. SQLite itself would
   * continue with the file that it has opened, and all writes would be lost with the process.
   */
  assertInPlace(): void {
    if (this.#inode === undefined) return
    assertInode(this.file.name, this.#inode)
    this.#checkedAt = performance.now()
  }
}

/** Throws SQLITE_READONLY_DBMOVED unless the file at the path has this inode. */
export function assertInode(path: string, inode: number): void {
  const currentInode = findInode(path)
  if (currentInode === inode) return
  const what = currentInode === undefined ? 'is gone' : 'was replaced: restart the service'
  throw new Sqlite.SqliteError(`the database file ${path} ${what}`, 'SQLITE_READONLY_DBMOVED')
}

/** Returns the inode of the file at a path; undefined if there is none. */
export const findInode = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Opens a read-only handle, which can read while another handle writes. */
export function openReader(path: string, cacheSize = 32_768): Sqlite.Database {
  const file = new Sqlite(path, { timeout: busyTimeout, fileMustExist: true })
  file.pragma('query_only = ON')
  // A negative number means KiB. An index of 100,000 templates fits in. It is scanned if no other index narrows a
  // filter.
  file.pragma(`cache_size = -${cacheSize}`)
  file.pragma('busy_timeout = 0')
  return file
}

/** Opens another read-only handle. Throws SQLITE_READONLY_DBMOVED if another file has replaced the database file. */
export function openReadHandle({ path, inode }: DatabaseFile, cacheSize?: number): SqliteHandle {
  // Checks before SQLite opens the file, because SQLite would apply the WAL to a new file.
  assertInode(path, inode)
  const handle = new SqliteHandle(openReader(path, cacheSize), inode)
  // Checks again afterwards, because the file may have been replaced meanwhile.
  handle.assertInPlace()
  return handle
}

/** Retries a job until no other process holds the lock. */
export async function retryWhileBusy<T>(
  job: () => T,
  deadline = performance.now() + busyTimeout
): Promise<T> {
  while (true) {
    try {
      return job()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await setTimeout(busyPause)
    }
  }
}

export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')
