import {
  type Dialect,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler
} from 'kysely'
import { PoolDriver } from './driver.ts'
import type { ConnectionPool } from './pool.ts'

/** Kysely dialect for the connections of an instance. */
export class PostgresPoolDialect implements Dialect {
  readonly connections: ConnectionPool

  constructor(connections: ConnectionPool) {
    this.connections = connections
  }

  createDriver = () => new PoolDriver(this.connections)
  createQueryCompiler = () => new PostgresQueryCompiler()
  createAdapter = () => new PostgresPoolAdapter(this)
  createIntrospector = (db: Kysely<unknown>) => new PostgresIntrospector(db)
}

/** Migrations use the lock of the engine, which ends with their transaction. */
export class PostgresPoolAdapter extends PostgresAdapter {
  readonly dialect: PostgresPoolDialect

  constructor(dialect: PostgresPoolDialect) {
    super()
    this.dialect = dialect
  }

  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}
