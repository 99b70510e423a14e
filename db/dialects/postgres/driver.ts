import type { Driver, TransactionSettings } from 'kysely'
import type { Connection } from './connection.ts'
import type { ConnectionPool } from './pool.ts'

/** Runs the queries of Kysely on the connections of a pool. */
export class PoolDriver implements Driver {
  readonly #pool: ConnectionPool

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  async init() {}
  acquireConnection = () => this.#pool.connect()
  async releaseConnection(connection: Connection) {
    connection.release()
  }

  async beginTransaction(connection: Connection, { isolationLevel, accessMode }: TransactionSettings) {
    const isolation = isolationLevel && `isolation level ${isolationLevel}`
    const begin = ['start transaction', isolation, accessMode].filter(Boolean).join(' ')
    connection.inTransaction = true
    // Several statements without parameters take one round trip.
    await connection.query([begin, ...this.#pool.transactionSettings].join('; '))
  }

  async commitTransaction(connection: Connection) {
    const { command } = await connection.query('commit')
    // PostgreSQL rolls back instead if a statement has failed.
    if (command === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
  }

  async rollbackTransaction(connection: Connection) {
    await connection.query('rollback')
  }

  destroy = () => this.#pool.end()
}
