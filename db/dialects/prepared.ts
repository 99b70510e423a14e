import type { CompiledQuery, KyselyPlugin, RootOperationNode } from 'kysely'
import type { Db } from '../schema.ts'

type Marked = WeakSet<RootOperationNode>

/** The queries that PostgreSQL prepares, and those that wait for the next one. */
const prepares: Marked = new WeakSet()
const waits: Marked = new WeakSet()

const makePlugin = (marked: Marked): KyselyPlugin => ({
  transformQuery({ node }) {
    marked.add(node)
    return node
  },
  transformResult: async ({ result }) => result
})
const preparing = makePlugin(prepares)
const waiting = makePlugin(waits)

/**
 * Returns the same database for queries that find a few rows by a unique key, or read a table of a few rows. PostgreSQL
 * prepares them once per connection, because planning takes longer than executing them. Do not use it for other
 * conditions, orders and lists, because a prepared plan is the same for all values, nor for many different texts, because
 * a connection prepares a limited number. A transaction that uses it must be run by `transact`, which starts it again if
 * the server refuses a prepared statement.
 */
export const prepared = (db: Db): Db => mark(db, preparing)

/**
 * Returns the same database for statements of a transaction whose results nobody reads. On PostgreSQL, each resolves at once,
 * and is sent together with the next one, which saves a round trip. If it fails, the next one rejects with its error.
 */
export const unread = (db: Db): Db => mark(db, waiting)

/** SQLite prepares all statements, and has no round trips. A pool of a host stays as the host has configured it. */
const mark = (db: Db, plugin: KyselyPlugin): Db =>
  'heedsMarks' in db.getExecutor().adapter ? db.withPlugin(plugin) : db

/** Marks a compiled query, like {@link prepared}. */
export function prepare<R>(query: CompiledQuery<R>): CompiledQuery<R> {
  prepares.add(query.query)
  return query
}

export const isMarkedPrepared = (query: RootOperationNode): boolean => prepares.has(query)
export const isMarkedUnread = (query: RootOperationNode): boolean => waits.has(query)
