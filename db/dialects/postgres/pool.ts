import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { Semaphore } from '../semaphore.ts'
import { Connection, type ConnectionSettings } from './connection.ts'

/** How an instance uses its connections to PostgreSQL. Times in seconds. */
export interface PostgresSettings {
  databasePoolSize: number
  /** To wait for a connection, a free one of the pool or a new one. */
  databaseConnectTimeout: number
  /** To wait for the answer to a statement. */
  databaseQueryTimeout: number
}

/**
 * The connections of an instance. Operations, which may be many and long, take all but one of them: that one stays for
 * what every request needs, such as the check of its token.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #operations: Semaphore
  readonly #connectionSettings: ConnectionSettings

  constructor(pool: pg.Pool, isAnswer: (error: unknown) => boolean) {
    this.#pool = pool
    this.#operations = new Semaphore(Math.max(1, (pool.options.max ?? 1) - 1))
    this.#connectionSettings = { isAnswer, transactionSettings: '' }
  }

  /** Kysely's view of all connections. */
  get forAll(): PostgresPool {
    return this.#kyselyPool(
      () => this.#connect(),
      () => this.#pool.end()
    )
  }

  /** Kysely's view of the connections for operations. The pool is closed by {@link forAll}. */
  get forOperations(): PostgresPool {
    return this.#kyselyPool(
      () => this.connectOperation(),
      async () => {}
    )
  }

  /** A connection for an operation. Rejects with the reason of the signal, as soon as that aborts. */
  async connectOperation(signal?: AbortSignal): Promise<Connection> {
    const leave = await this.#takePlace(signal)
    try {
      return await this.#connect(leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  async #takePlace(signal?: AbortSignal): Promise<() => void> {
    if (!this.#operations.full) return this.#operations.take(signal)
    const timeout = AbortSignal.timeout(this.#pool.options.connectionTimeoutMillis ?? 0)
    try {
      return await this.#operations.take(signal ? AbortSignal.any([signal, timeout]) : timeout)
    } catch (error) {
      throw error === timeout.reason ? new Error('timeout exceeded when trying to connect') : error
    }
  }

  async #connect(onRelease?: () => void): Promise<Connection> {
    const client = await this.#pool.connect().catch(error => {
      if (!/startup parameter/.test(error.message)) throw error
      this.#moveTimeouts()
      return this.#pool.connect()
    })
    return new Connection(client, this.#connectionSettings, onRelease)
  }

  /**
   * A pooler such as PgBouncer refuses the timeouts when a connection is made, and shares its own connections among many.
   * So each transaction sets them for itself; a single statement is canceled by us when it takes too long.
   */
  #moveTimeouts(): void {
    const { options } = this.#pool
    const { statement_timeout: statement, lock_timeout: lock } = options
    if (!statement) return
    this.#connectionSettings.transactionSettings = `; set local statement_timeout = ${statement}; set local lock_timeout = ${lock}`
    options.statement_timeout = undefined
    options.lock_timeout = undefined
  }

  #kyselyPool(connect: () => Promise<Connection>, end: () => Promise<void>): PostgresPool {
    // Kysely's type also has the cursors that we do not give it.
    return { options: this.#pool.options, connect, end } as unknown as PostgresPool
  }
}
