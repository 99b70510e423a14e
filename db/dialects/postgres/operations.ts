import { Kysely, type QueryExecutor } from 'kysely'
import type { Database, Db } from '../../schema.ts'
import type { Connection } from './connection.ts'
import type { PostgresPoolDialect } from './dialect.ts'

/** The executors that wait for a place among operations. */
const limited = new WeakSet<QueryExecutor>()

/**
 * Returns the same database for an operation: it waits for a place among operations before it takes a connection. When
 * the signal aborts, its statements are canceled and reject with the reason of the signal.
 */
export function limitOperations(db: Db, dialect: PostgresPoolDialect, signal?: AbortSignal): Db {
  const executor = db.getExecutor()
  if (limited.has(executor)) return db
  const waiting = executor.withConnectionProvider({
    async provideConnection(consumer) {
      const leave = await dialect.connections.enterOperation(signal)
      let ours: Connection | undefined
      try {
        return await executor.provideConnection(connection => {
          ours = connection as Connection
          ours.signal = signal
          return consumer(ours)
        })
      } finally {
        // Left only now: until the pool has the connection back, the next operation would take the one that stays free.
        if (ours?.released) void ours.released.then(leave)
        else leave()
      }
    }
  })
  limited.add(waiting)
  return new Kysely<Database>({
    config: { dialect },
    dialect,
    driver: dialect.createDriver(),
    executor: waiting
  })
}
