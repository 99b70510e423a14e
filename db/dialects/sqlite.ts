import { setTimeout } from 'node:timers/promises'
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

/** Prepared statements kept: preparing again costs about four times as much as running a look-up. */
const keptStatements = 256
/** Milliseconds a writer waits for another one's transaction to end, and between two tries. */
export const busyTimeout = 5000
const busyPause = 5

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
    await this.#connection.whenFree(() => {
      this.#connection.run(accessMode === 'read only' ? 'begin' : 'begin immediate')
    })
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

  executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    // A change of the tables outdates what was prepared against them.
    if (!/^(Select|Insert|Update|Delete|Raw)/.test(query.kind)) this.forget()
    return this.whenFree(() => this.#execute<R>(sql, parameters))
  }

  #execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const statement = this.#prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** Prepared apart: a statement that is being read from cannot run a second time. */
  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.#file.prepare(sql).iterate(parameters)) yield { rows: [row as R] }
  }

  /** Tries until no other writer is in the way, or for {@link busyTimeout}. */
  async whenFree<T>(job: () => T): Promise<T> {
    const deadline = performance.now() + busyTimeout
    while (true) {
      try {
        return job()
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_BUSY' || performance.now() > deadline) throw error
        await setTimeout(busyPause)
      }
    }
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
