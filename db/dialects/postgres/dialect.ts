import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type QueryExecutor
} from 'kysely'
import type { Database, Db } from '../../schema.ts'
import type { ConnectionPool } from './pool.ts'

/** Kysely dialect for the connections of an instance. */
export class PostgresPoolDialect extends PostgresDialect {
  readonly connections: ConnectionPool

  constructor(connections: ConnectionPool) {
    super({ pool: connections.forKysely })
    this.connections = connections
  }

  override createAdapter = () => new PostgresPoolAdapter(this)
}

/** Migrations use the lock of the engine, which ends with their transaction. */
export class PostgresPoolAdapter extends PostgresAdapter {
  readonly #dialect: PostgresPoolDialect
  readonly #forOperations = new WeakMap<QueryExecutor, Db>()

  constructor(dialect: PostgresPoolDialect) {
    super()
    this.#dialect = dialect
  }

  /** Returns the same database for operations, which wait for a place before they take a connection. */
  forOperations(executor: QueryExecutor): Db {
    const known = this.#forOperations.get(executor)
    if (known) return known
    const dialect = this.#dialect
    const limited = executor.withConnectionProvider({
      async provideConnection(consumer, options) {
        const leave = await dialect.connections.enterOperation(options?.signal)
        try {
          return await executor.provideConnection(consumer, options)
        } finally {
          leave()
        }
      }
    })
    const config = { dialect }
    const db = new Kysely<Database>({ config, dialect, driver: dialect.createDriver(), executor: limited })
    for (const key of [executor, limited]) this.#forOperations.set(key, db)
    return db
  }

  /** For statements that are canceled if the signal aborts. */
  readonly background = {
    connection: (signal?: AbortSignal): DatabaseConnection => ({
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => {
        const { connections } = this.#dialect
        const leave = await connections.enterOperation(signal)
        try {
          const { rows } = await connections.query(sql, [...parameters], signal)
          return { rows: rows as R[] }
        } finally {
          leave()
        }
      },
      streamQuery: () => {
        throw new Error('the rows of a statement in the background come all at once')
      }
    })
  }

  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}
