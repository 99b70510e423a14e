import { type CompiledQuery, type DatabaseConnection, Kysely, PostgresAdapter, PostgresDialect } from 'kysely'
import type { Database, Db } from '../../schema.ts'
import type { ConnectionPool } from './pool.ts'

/** Kysely dialect for the connections of an instance: all of them, or those for operations. */
export class PostgresPoolDialect extends PostgresDialect {
  readonly #connections: ConnectionPool

  constructor(connections: ConnectionPool, pool = connections.forAll) {
    super({ pool })
    this.#connections = connections
  }

  override createAdapter = () => new PostgresPoolAdapter(this.#connections)
}

/** Migrations use the lock of the engine, which ends with their transaction. */
export class PostgresPoolAdapter extends PostgresAdapter {
  readonly #connections: ConnectionPool
  #operations: Db | undefined

  constructor(connections: ConnectionPool) {
    super()
    this.#connections = connections
  }

  /** The same database, on the connections for operations. */
  get operations(): Db {
    this.#operations ??= new Kysely<Database>({
      dialect: new PostgresPoolDialect(this.#connections, this.#connections.forOperations)
    })
    return this.#operations
  }

  /** For statements that are canceled if the signal aborts. */
  readonly background = {
    connection: (signal?: AbortSignal): DatabaseConnection => ({
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => {
        const connection = await this.#connections.connectOperation(signal)
        try {
          const { rows } = await connection.query(sql, [...parameters], signal)
          return { rows: rows as R[] }
        } finally {
          connection.release()
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
