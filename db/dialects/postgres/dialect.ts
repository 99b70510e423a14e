import { type DialectAdapter, type Driver, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { Semaphore } from '../../../runtime/semaphore.ts'
import { isUnavailable } from '../faults.ts'
import type { StatementNames } from '../prepared.ts'
import { Connection } from './connection.ts'
import type { Servers } from './servers.ts'

/**
 * Kysely's dialect for pg with our own driver and a pool of connections. GraphQL operations, which may be many and
 * long, use all but one connection. The last one stays free for short work that every request needs, such as the check
 * of its token.
 */
export class PostgresPoolDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #operations: Semaphore
  readonly #servers: Servers
  readonly #names: StatementNames
  /** Statements at the start of each transaction. */
  #transactionSettings: string[] = []

  constructor(pool: pg.Pool, servers: Servers, names: StatementNames) {
    super({ pool })
    this.#pool = pool
    this.#servers = servers
    this.#names = names
    this.#operations = new Semaphore(Math.max(1, (pool.options.max ?? 1) - 1))
  }

  override createAdapter(): DialectAdapter {
    return Object.assign(super.createAdapter(), { dialect: this })
  }

  override createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: () => this.#connect(),
      releaseConnection: async connection => (connection as Connection).release(),
      beginTransaction: (connection, settings) =>
        (connection as Connection).begin(settings, this.#transactionSettings),
      commitTransaction: connection => (connection as Connection).commit(),
      rollbackTransaction: connection => (connection as Connection).rollback(),
      destroy: () => this.#pool.end()
    }
  }

  async #connect(): Promise<Connection> {
    const client = await this.#take().catch(error => {
      if (!/startup parameter/.test(error.message)) throw error
      this.#moveTimeouts()
      return this.#take()
    })
    return new Connection(client, this.#servers, this.#names)
  }

  /** Takes a connection from the pool. If a server cannot be reached, tries the next one. */
  async #take(): Promise<pg.PoolClient> {
    for (let tries = 1; ; ) {
      const { url } = this.#servers
      try {
        const client = await this.#pool.connect()
        if (this.#servers.isCurrent(client)) return client
        client.release(true)
      } catch (error) {
        if (tries++ === this.#servers.tries || !isUnavailable(error) || isPoolFull(error)) throw error
        this.#servers.leave(url)
      }
    }
  }

  readMetricValues() {
    const { totalCount, idleCount, waitingCount, options } = this.#pool
    return {
      store_connections: { busy: totalCount - idleCount, idle: idleCount },
      store_connections_max: options.max ?? 1,
      store_connections_waiting: { connection: waitingCount, place: this.#operations.waiting }
    }
  }

  /**
   * Waits for a place among the operations. Returns a function that releases it. Rejects with the reason of the signal,
   * or after the connection timeout with the error of the pool.
   */
  enterOperation(signal?: AbortSignal): Promise<() => void> {
    const milliseconds = this.#pool.options.connectionTimeoutMillis ?? 0
    return this.#operations.take(signal, { milliseconds, error: () => new Error(poolFull) })
  }

  /**
   * Moves the timeouts from connections to transactions: a pooler such as PgBouncer refuses them as connection
   * parameters, because it shares its connections. A statement outside a transaction is then canceled by a
   * CancelRequest.
   */
  #moveTimeouts(): void {
    const { options } = this.#pool
    const { statement_timeout: statement, lock_timeout: lock } = options
    if (!statement) return
    this.#transactionSettings = [
      `set local statement_timeout = ${statement}`,
      `set local lock_timeout = ${lock}`
    ]
    options.statement_timeout = undefined
    options.lock_timeout = undefined
  }
}

/** The error message of the pool if no connection becomes free in time. */
const poolFull = 'timeout exceeded when trying to connect'
const isPoolFull = (error: unknown): boolean => (error as Error).message === poolFull
