import type { CompiledQuery, KyselyPlugin, RootOperationNode } from 'kysely'
import type { Db } from '../schema.ts'

/** The queries that PostgreSQL prepares. */
const marked = new WeakSet<RootOperationNode>()

const marking: KyselyPlugin = {
  transformQuery({ node }) {
    marked.add(node)
    return node
  },
  transformResult: async ({ result }) => result
}

/**
 * Returns the same database for queries that find a few rows by a unique key, or read a table of a few rows. PostgreSQL
 * prepares them once per connection, because planning takes longer than executing them. Do not use it for other
 * conditions, orders and lists, because a prepared plan is the same for all values, nor for many different texts, because
 * a connection prepares a limited number. A transaction that uses it must be run by `transact`, which starts it again if
 * the server refuses a prepared statement.
 */
export function prepared<D extends Db>(db: D): D {
  // SQLite prepares all statements. A pool of a host stays as the host has configured it. With the plugin, a transaction is
  // still one.
  return 'preparesMarked' in db.getExecutor().adapter ? (db.withPlugin(marking) as D) : db
}

/** Marks a compiled query, like {@link prepared}. */
export function prepare<R>(query: CompiledQuery<R>): CompiledQuery<R> {
  marked.add(query.query)
  return query
}

/** Whether a query is marked. */
export const isMarkedPrepared = (query: RootOperationNode): boolean => marked.has(query)
