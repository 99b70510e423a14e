import { hash } from 'node:crypto'
import type { CompiledQuery, KyselyPlugin, RootOperationNode } from 'kysely'
import type { Db, Transaction } from '../schema.ts'
import { isRefusedStatement } from './faults.ts'

/**
 * The queries that our own connections to PostgreSQL prepare. SQLite prepares all statements, and a host's pool stays
 * as the host has configured it, so both ignore the marks.
 */
const markedQueries = new WeakSet<RootOperationNode>()

const marking: KyselyPlugin = {
  transformQuery({ node }) {
    markedQueries.add(node)
    return node
  },
  transformResult: async ({ result }) => result
}

/** Transactions that run again as a whole if the server refuses a prepared statement. */
const repeatable = new WeakSet<Db>()

/** Marks a transaction whose owner begins again after a refused statement, so it may prepare statements. */
export function markRepeatable<T extends Transaction>(transaction: T): T {
  repeatable.add(transaction)
  return transaction
}

/**
 * Returns the same database for queries whose plan is always the same. PostgreSQL prepares these queries once per
 * connection, because planning takes longer than executing them. Use it for look-ups by a unique key. Do not use it for
 * filters, orders or lists: their best plan depends on the values. Do not use it for many different texts either: a
 * connection prepares a limited number. A transaction prepares nothing unless {@link markRepeatable} has marked it: an
 * import cannot read its records again, and only a host knows what else its own transaction does.
 */
export function prepared<D extends Db>(db: D): D {
  if (db.isTransaction && !repeatable.has(db)) return db
  // With the plugin, a transaction is still a transaction.
  return db.withPlugin(marking) as D
}

/** Marks a compiled query, like {@link prepared}. */
export function preparedQuery<R>(query: CompiledQuery<R>): CompiledQuery<R> {
  markedQueries.add(query.query)
  return query
}

/** Prepared statements per connection. Each takes about 40 KiB of the server's memory, and nothing ever drops one. */
const maxStatements = 100

/** The names under which the connections of a PostgreSQL pool prepare the marked queries. */
export class StatementNames {
  /** The name of each statement by its text; undefined if the statement is not prepared any more. */
  readonly #names = new Map<string, string | undefined>()
  /** false behind a pooler that cannot prepare statements, such as PgBouncer before 1.21. */
  #isEnabled = true

  /** Returns the name of a query; undefined if it must not be prepared. */
  find({ sql: text, query }: CompiledQuery): string | undefined {
    if (!this.#isEnabled || !markedQueries.has(query)) return undefined
    if (this.#names.has(text) || this.#names.size === maxStatements) return this.#names.get(text)
    // The name depends on the text only, because a pooler may share a connection among several processes.
    const name = `product_${hash('sha256', text).slice(0, 32)}`
    this.#names.set(text, name)
    return name
  }

  /** Stops preparing a statement that the server refuses to execute. Returns whether the error is such a refusal. */
  giveUp(text: string, error: unknown): boolean {
    if (!isRefusedStatement(error)) return false
    // A changed table affects this statement. A pooler that shares connections affects all statements.
    if (error.code === '0A000') this.#names.set(text, undefined)
    else this.#isEnabled = false
    return true
  }
}
