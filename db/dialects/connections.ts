import { type Dialect, Kysely, type QueryExecutor } from 'kysely'
import type { Database, Db } from '../schema.ts'

/** How an executor of Kysely gets a connection for a query or a transaction. */
type ProvideConnection = Parameters<QueryExecutor['withConnectionProvider']>[0]['provideConnection']

/** Returns the same database, which gets its connections in another way. */
export function withConnections(db: Db, dialect: Dialect, provideConnection: ProvideConnection): Db {
  const executor = db.getExecutor().withConnectionProvider({ provideConnection })
  return new Kysely<Database>({ config: { dialect }, dialect, driver: dialect.createDriver(), executor })
}

/** Stands for the streams of rows that Kysely's connections have, which nothing here uses. */
export function refuseStream(): never {
  throw new Error('streams are not supported')
}
