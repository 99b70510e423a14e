import type { CompiledQuery, KyselyPlugin, RootOperationNode } from 'kysely'
import type { Db } from '../schema.ts'

/** The queries to prepare. */
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
 * prepares them once per connection, because planning them takes longer than executing them. Not for other conditions,
 * orders and lists: a prepared plan is the same for all values. Nor for texts that vary: their number is limited. In a
 * transaction, use it only if `transact` runs that, because a refused statement makes the transaction start again.
 */
export function prepared(db: Db): Db {
  // SQLite prepares all statements, and the statements of a host's own pool are its business.
  return 'preparesMarked' in db.getExecutor().adapter ? db.withPlugin(marking) : db
}

/** Like {@link prepared}, for a query that is compiled already. */
export function prepare<R>(query: CompiledQuery<R>): CompiledQuery<R> {
  marked.add(query.query)
  return query
}

/** Whether a query is one of these. */
export const isMarkedPrepared = (query: RootOperationNode): boolean => marked.has(query)
