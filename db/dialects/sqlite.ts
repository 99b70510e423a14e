import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
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
import { StartError } from '../../errors.ts'

/** Prepared statements kept: preparing again costs about four times as much as running a look-up. */
const keptStatements = 256
/** Milliseconds a writer waits for another process's transaction to end. */
const busyTimeout = 5000

/** How a database file is opened. */
export interface SqliteFile {
  /** A path, or `:memory:`. */
  path: string
  /** Refuse a file that is not there yet. */
  mustExist?: boolean | undefined
  /** Make the file's directory when it is missing. */
  makeDirectory?: boolean | undefined
}

/**
 * Opens the file for reading and writing. Throws {@link StartError} with one line on what is wrong with
 * it; a file that is no SQLite database is left as it was.
 */
export function openSqlite({ path, mustExist = false, makeDirectory = false }: SqliteFile): Sqlite.Database {
  const memory = path === ':memory:'
  try {
    if (makeDirectory && !memory) mkdirSync(dirname(path), { recursive: true })
    const file = new Sqlite(path, { timeout: busyTimeout, fileMustExist: mustExist && !memory })
    try {
      file.pragma('foreign_keys = ON')
      file.pragma('journal_mode = WAL')
      // An acknowledged write outlives a power cut, not only a killed process.
      file.pragma('synchronous = FULL')
      return file
    } catch (error) {
      file.close()
      throw error
    }
  } catch (error) {
    throw new StartError(
      'PTS_BAD_DATABASE',
      `cannot use the database ${resolve(path)}: ${reason(path, error)}`,
      {
        cause: error
      }
    )
  }
}

function reason(path: string, error: unknown): string {
  const { code = '', message } = error as { code?: string; message: string }
  if (code === 'SQLITE_NOTADB') return 'the file is not a SQLite database'
  if (code === 'SQLITE_CORRUPT') return 'the file is damaged'
  if (code.startsWith('SQLITE_READONLY')) return 'the file or its directory is read-only'
  if (code.startsWith('SQLITE_BUSY')) return 'another process holds it locked'
  const directory = dirname(resolve(path))
  if (!existsSync(directory)) return `the directory ${directory} does not exist`
  if (!statSync(directory).isDirectory()) return `${directory} is not a directory`
  if (!existsSync(path)) return `the file does not exist and cannot be made there (${code || message})`
  if (statSync(path).isDirectory()) return 'it is a directory'
  return `${message} (${code})`
}

/** Kysely on one better-sqlite3 handle, with its prepared statements kept and writers queued up front. */
export class SqliteDialect implements Dialect {
  readonly #file: Sqlite.Database

  constructor(file: Sqlite.Database) {
    this.#file = file
  }

  createDriver = (): Driver => new SqliteDriver(this.#file)
  createQueryCompiler = () => new SqliteQueryCompiler()
  createAdapter = () => new TransactionalSqliteAdapter()
  createIntrospector = (db: ConstructorParameters<typeof SqliteIntrospector>[0]) => new SqliteIntrospector(db)
}

/** SQLite rolls back DDL: so a migration runs whole or not at all, and its transaction is its lock. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #file: Sqlite.Database
  readonly #connection: SqliteConnection

  constructor(file: Sqlite.Database) {
    this.#file = file
    this.#connection = new SqliteConnection(file)
  }

  async init() {}
  async acquireConnection() {
    return this.#connection
  }
  async releaseConnection() {}

  /** A writer takes the lock at once: a lock taken half-way cannot wait for another one's end. */
  async beginTransaction(_connection: DatabaseConnection, { accessMode }: TransactionSettings) {
    this.#connection.run(accessMode === 'read only' ? 'begin' : 'begin immediate')
  }
  async commitTransaction() {
    this.#connection.run('commit')
  }
  async rollbackTransaction() {
    // After some errors, a full disk for one, SQLite has rolled back by itself.
    if (this.#file.inTransaction) this.#connection.run('rollback')
  }
  async destroy() {
    this.#connection.forget()
    this.#file.close()
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #file: Sqlite.Database
  readonly #statements = new Map<string, Sqlite.Statement>()

  constructor(file: Sqlite.Database) {
    this.#file = file
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    // A change of the tables outdates what was prepared against them.
    if (!/^(Select|Insert|Update|Delete|Raw)/.test(query.kind)) this.forget()
    const statement = this.#prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** Prepared apart: a statement that is being read from cannot run a second time. */
  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.#file.prepare(sql).iterate(parameters)) yield { rows: [row as R] }
  }

  run(sql: string): void {
    this.#prepare(sql).run()
  }

  forget(): void {
    this.#statements.clear()
  }

  #prepare(sql: string): Sqlite.Statement {
    const statement = this.#statements.get(sql) ?? this.#file.prepare(sql)
    // Last used goes last, so the first of a full map is the one to drop.
    this.#statements.delete(sql)
    this.#statements.set(sql, statement)
    if (this.#statements.size > keptStatements) {
      const [oldest] = this.#statements.keys()
      this.#statements.delete(oldest as string)
    }
    return statement
  }
}
