import { type Driver, PostgresAdapter, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Connection } from './connection.ts'
import { ConnectionPool } from './pool.ts'
import type { StatementNames } from './prepared-statements.ts'
import type { Servers } from './servers.ts'

/** Kysely's dialect for pg with a driver of ours, which has the connections of an instance. */
export class PostgresPoolDialect extends PostgresDialect {
  readonly connections: ConnectionPool

  constructor(pool: pg.Pool, servers: Servers, names: StatementNames) {
    super({ pool })
    this.connections = new ConnectionPool(pool, servers, names)
  }

  override createAdapter() {
    return new PostgresPoolAdapter(this)
  }

  override createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: () => this.connections.connect(),
      releaseConnection: async connection => (connection as Connection).release(),
      beginTransaction: (connection, settings) =>
        (connection as Connection).begin(settings, this.connections.transactionSettings),
      commitTransaction: connection => (connection as Connection).commit(),
      rollbackTransaction: connection => (connection as Connection).rollback(),
      destroy: () => this.connections.end()
    }
  }
}

export class PostgresPoolAdapter extends PostgresAdapter {
  readonly dialect: PostgresPoolDialect
  /** See `prepared()`. */
  readonly preparesMarked = true

  constructor(dialect: PostgresPoolDialect) {
    super()
    this.dialect = dialect
  }
}
