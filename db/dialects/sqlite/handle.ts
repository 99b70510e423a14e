import { statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { QueryResult } from 'kysely'

/** Prepared statements kept: preparing again costs about four times as much as running a look-up. */
const keptStatements = 256
/** Characters of a statement that is kept: a longer one, of a large filter, hardly comes again. */
const longestKept = 10_000
/** Milliseconds in which a look at the file counts, where nothing is written. */
const lookInterval = 100

/** An open database file, its prepared statements, and an eye on whether it still stands in its place. */
export class SqliteHandle {
  readonly file: Sqlite.Database
  readonly #statements = new Map<string, Sqlite.Statement>()
  readonly #inode: number | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  /** Without `inode`, the one that stands there now is the right one. */
  constructor(file: Sqlite.Database, inode = file.memory ? undefined : inodeOf(file.name)) {
    this.file = file
    this.#inode = inode
  }

  execute<R>(sql: string | Sqlite.Statement, parameters: readonly unknown[] = []): QueryResult<R> {
    try {
      const statement = typeof sql === 'string' ? this.prepare(sql) : sql
      if (statement.reader) return { rows: statement.all(parameters) as R[] }
      const { changes, lastInsertRowid } = statement.run(parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      // A file that is not ours any more is the better reason.
      if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? '')) this.assertInPlace()
      throw error
    }
  }

  prepare(sql: string): Sqlite.Statement {
    if (sql.length > longestKept) return this.file.prepare(sql)
    const statement = this.#statements.get(sql) ?? this.file.prepare(sql)
    // Last used goes last, so the first of a full map is the one to drop.
    this.#statements.delete(sql)
    this.#statements.set(sql, statement)
    if (this.#statements.size > keptStatements) {
      const [oldest] = this.#statements.keys()
      this.#statements.delete(oldest as string)
    }
    return statement
  }

  forget(): void {
    this.#statements.clear()
  }

  /** As {@link assertInPlace}, for reading: what was seen a moment ago holds. */
  assertLatelyInPlace(): void {
    if (performance.now() - this.#lookedAt > lookInterval) this.assertInPlace()
  }

  /** Throws SQLITE_READONLY_DBMOVED when the file was removed, moved or replaced. Put back, it serves again. */
  assertInPlace(): void {
    if (this.#inode === undefined) return
    assertInode(this.file.name, this.#inode)
    this.#lookedAt = performance.now()
  }
}

/**
 * Throws SQLITE_READONLY_DBMOVED when another file, or none, stands at the path: SQLite goes on with what it opened,
 * and all that is written there is gone with the process.
 */
export function assertInode(path: string, inode: number): void {
  const found = inodeOf(path)
  if (found === inode) return
  const what = found === undefined ? 'is gone' : 'was replaced: the service must start again'
  throw new Sqlite.SqliteError(`the database file ${path} ${what}`, 'SQLITE_READONLY_DBMOVED')
}

/** Which file stands at a path; undefined where there is none. */
export const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino
