import {
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler
} from 'kysely'
import type { Connection } from './connection.ts'
import type { ConnectionPool } from './pool.ts'

/** Kysely dialect for the connections of an instance. */
export class PostgresPoolDialect implements Dialect {
  readonly connections: ConnectionPool

  constructor(connections: ConnectionPool) {
    this.connections = connections
  }

  createDriver = (): Driver => ({
    init: async () => {},
    acquireConnection: () => this.connections.connect(),
    releaseConnection: async connection => (connection as Connection).release(),
    beginTransaction: (connection, settings) =>
      (connection as Connection).begin(settings, this.connections.transactionSettings),
    commitTransaction: connection => (connection as Connection).commit(),
    async rollbackTransaction(connection) {
      await (connection as Connection).query('rollback')
    },
    destroy: () => this.connections.end()
  })
  createQueryCompiler = () => new PostgresQueryCompiler()
  createAdapter = () => new PostgresPoolAdapter(this)
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db)
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
