import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from 'kysely'
import { refuseStream, traceStatement } from '../interface.ts'
import type { OpenFile } from './dialect.ts'
import { retryWhileBusy, type SqliteHandle } from './handle.ts'

/** A connection that can begin and end a transaction. */
export interface TransactionConnection extends DatabaseConnection {
  begin(settings: TransactionSettings): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Runs the statements of one caller, each on the right handle. */
export class SqliteConnection implements TransactionConnection {
  /** Ends the wait for a snapshot. */
  signal: AbortSignal | undefined
  readonly #file: OpenFile
  /** The handle of the transaction. No other caller uses it before `leave`. undefined outside a transaction. */
  #transaction: { handle: SqliteHandle; leave: () => void } | undefined

  constructor(file: OpenFile) {
    this.#file = file
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return traceStatement('sqlite', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader } = this.#file
    if (!/^(Select|Insert|Update|Delete|Raw)/.test(query.kind)) this.#file.forgetStatements()
    if (this.#transaction) return this.#transaction.handle.execute(sql, parameters)
    reader.assertLatelyInPlace()
    if (reader !== writer) {
      const statement = await retryWhileBusy(() => reader.findStatement(sql))
      if (statement.readonly) return retryWhileBusy(() => reader.execute(statement, parameters))
    }
    const { result, leave } = await this.#file.enterWriter(() => writer.execute<R>(sql, parameters))
    leave()
    writer.assertInPlace()
    return result
  }

  streamQuery = refuseStream

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    const { writer, reader, snapshots } = this.#file
    reader.assertLatelyInPlace()
    if (accessMode === 'read only' && snapshots) {
      const { resource: handle, giveBack: leave } = await snapshots.take(this.signal)
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
    const { leave } = await this.#file.enterWriter(() => writer.execute(begin))
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
