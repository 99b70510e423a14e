import { type Dialect, Kysely, type QueryExecutor } from 'kysely'
import { activeSpan, inSpan } from '../../tracing.ts'
import type { Database, Db } from '../schema.ts'

/** The function by which Kysely's executor gets a connection for a query or a transaction. */
type ProvideConnection = Parameters<QueryExecutor['withConnectionProvider']>[0]['provideConnection']

/** Returns the same database with another way to get connections. */
export function replaceConnections(db: Db, dialect: Dialect, provideConnection: ProvideConnection): Db {
  const executor = db.getExecutor().withConnectionProvider({ provideConnection })
  return new Kysely<Database>({ config: { dialect }, dialect, driver: dialect.createDriver(), executor })
}

/** Implements Kysely's streams of rows, which this program does not use. */
export function refuseStream(): never {
  throw new Error('streams are not supported')
}

/** Maximum characters of a statement in a trace. A trace has no parameters. */
const longestText = 2000

/** Runs a statement, in a span if the request is traced. */
export function traceStatement<T>(
  system: 'sqlite' | 'postgresql',
  sql: string,
  run: () => Promise<T>
): Promise<T> {
  if (!activeSpan.getStore()) return run()
  const [, operation = 'statement'] = /^\s*(\w+)/.exec(sql) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql) ?? []
  const name = [operation.toUpperCase(), table].filter(Boolean).join(' ')
  const attributes = {
    'db.system.name': system,
    'db.operation.name': operation.toUpperCase(),
    'db.query.text': sql.slice(0, longestText),
    ...(table && { 'db.collection.name': table })
  }
  return inSpan(name, attributes, run)
}
