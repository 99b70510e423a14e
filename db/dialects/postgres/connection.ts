import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type pg from 'pg'
import { isRefusedStatement } from '../faults.ts'
import { inStatementSpan } from '../statement-span.ts'
import { cancelStatement } from './cancel.ts'
import { isMarkedPrepared, type StatementNames } from './prepared-statements.ts'

/** A connection taken from the pool. It is put back only if all its statements got an answer. */
export class Connection implements DatabaseConnection {
  /** Cancels its statements when it aborts: they reject with its reason. */
  signal: AbortSignal | undefined
  /** Whether a transaction has begun. A statement that fails makes all of it fail. */
  inTransaction = false
  /** After `release()`: resolves when the pool has it back. A statement that was given up has to be canceled before. */
  released: Promise<void> | undefined
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  readonly #isAnswer: (error: unknown) => boolean
  /** The error that made the connection unusable. */
  #broken: unknown
  /** Whether an abandoned statement is still running. */
  #givenUp = false

  /** `isAnswer` tells the server's answers from other errors. Without an answer, a statement may still run. */
  constructor(client: pg.PoolClient, names: StatementNames, isAnswer: (error: unknown) => boolean) {
    this.#client = client
    this.#names = names
    this.#isAnswer = isAnswer
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return inStatementSpan('postgresql', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const name = isMarkedPrepared(query) ? this.#names.find(sql) : undefined
    const { command, rowCount, rows } = await (name === undefined
      ? this.query(sql, parameters)
      : this.#queryPrepared(name, sql, parameters))
    if (!changingCommands.has(command)) return { rows: rows as R[] }
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface has it.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streams are not supported')
  }

  /** Executes a prepared statement. If the server refuses that, nothing has happened: the statement runs without a name. */
  async #queryPrepared(name: string, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.query(text, values, name)
    } catch (error) {
      if (!this.#names.giveUp(text, error) || this.inTransaction) throw error
      return this.query(text, values)
    }
  }

  /** Runs a statement; with a name, the connection prepares it under that name if it has not yet. */
  async query(text: string, values: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
    if (this.#broken !== undefined) throw this.#broken
    const { signal } = this
    signal?.throwIfAborted()
    try {
      const answer = this.#client.query({
        text,
        values: values as unknown[],
        ...(name !== undefined && { name })
      })
      return await (signal ? unlessAborted(answer, signal) : answer)
    } catch (error) {
      if (!this.#isAnswer(error) || isWrongServer(error)) this.#broken = error
      this.#givenUp = signal?.aborted === true || (error as Error).message === 'Query read timeout'
      throw error
    }
  }

  release(): void {
    if (!this.#givenUp) this.#client.release(this.#broken !== undefined)
    else this.released = cancelStatement(this.#client).then(() => this.#client.release(true))
  }
}

const changingCommands = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/**
 * Whether the server refused to write, as a standby does: 25006, or 0A000 for a serializable transaction. A new connection
 * may lead to the new primary.
 */
const isWrongServer = (error: unknown): boolean =>
  ['25006', '0A000'].includes((error as { code?: string }).code ?? '') && !isRefusedStatement(error)

async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([answer, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
