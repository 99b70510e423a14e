import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import { refuseStream, traceStatement } from '../connections.ts'
import { isRefusedStatement } from '../faults.ts'
import { isMarkedPrepared, isMarkedUnread } from '../prepared.ts'
import { cancelStatement } from './cancel.ts'
import type { StatementNames } from './prepared-statements.ts'
import type { Servers } from './servers.ts'

/** Milliseconds after which a statement makes `Servers` probe its server. */
const slowStatement = 1000
/** Statements that wait to be sent with the next one. The timeout of the last one includes the time of all. */
const maxWaiting = 10

/** A connection from the pool. It returns to the pool only if the server has answered all its statements. */
export class Connection implements DatabaseConnection {
  /** When it aborts, the running statement is canceled and rejects with the reason. */
  signal: AbortSignal | undefined
  /** Whether a transaction has begun. If a statement of it fails, all later ones fail. */
  #inTransaction = false
  /** Statements whose results nobody reads. They are sent in one write, and one round trip, with the next one. */
  #waiting: Statement[] = []
  /** After `release()`, if a statement was given up: resolves when the statement is canceled and the pool has the client. */
  released: Promise<void> | undefined
  readonly #client: pg.PoolClient
  readonly #servers: Servers
  readonly #names: StatementNames
  /** Milliseconds in which the server must answer. */
  readonly #timeout: number
  /** The error that made the connection unusable. */
  #fault: unknown
  /** After a statement was given up: resolves when the connection may be closed. */
  #ending: Promise<void> | undefined

  constructor(client: pg.PoolClient, servers: Servers, names: StatementNames, timeout: number) {
    this.#client = client
    this.#timeout = timeout
    this.#servers = servers
    this.#names = names
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return traceStatement('postgresql', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const name = isMarkedPrepared(query) ? this.#names.find(sql) : undefined
    const statement = toStatement(sql, parameters, name)
    if (isMarkedUnread(query) && this.#mayWait()) {
      this.#waiting.push(statement)
      return { rows: [] }
    }
    const { command, rowCount, rows } = await this.#send(statement).catch(error => {
      // If the server refuses a prepared statement, nothing has happened, and the statement runs unprepared.
      if (name === undefined || this.#inTransaction || !isRefusedStatement(error)) throw error
      return this.query(sql, parameters)
    })
    if (!changingCommands.has(command)) return { rows: rows as R[] }
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  streamQuery = refuseStream

  /** Runs a statement without preparing it. */
  query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    return this.#send(toStatement(text, values))
  }

  /** Sends a statement after those that wait. Resolves with its result, or rejects with the first error of all. */
  async #send(statement: Statement): Promise<pg.QueryResult> {
    if (this.#fault !== undefined) throw this.#fault
    const { signal } = this
    signal?.throwIfAborted()
    const statements = [...this.#waiting.splice(0), statement]
    const probe = setTimeout(() => void this.#servers.probe(), slowStatement)
    try {
      const { stream } = this.#client.connection
      stream.cork()
      const answers = statements.map(each => this.#client.query(each))
      stream.uncork()
      const answer = Promise.all(answers).then(results => results.at(-1) as pg.QueryResult)
      return await waitFor(answer, this.#timeout, signal)
    } catch (error) {
      for (const { text, name } of statements) if (name !== undefined) this.#names.giveUp(text, error)
      if (!isAnswer(error) || isServerGone(error)) this.#fault = error
      if (isServerGone(error)) this.#servers.discard()
      const isGivenUp = (signal && error === signal.reason) || (error as Error).message === readTimeout
      if (isGivenUp)
        this.#ending = this.#mayCommit(statement.text)
          ? awaitAnswer(this.#client)
          : cancelStatement(this.#client)
      throw error
    } finally {
      clearTimeout(probe)
    }
  }

  /** Begins a transaction and runs `statements`, in one round trip with the first statement of the transaction. */
  async begin({ isolationLevel, accessMode }: TransactionSettings, statements: string[]): Promise<void> {
    const isolation = isolationLevel && `isolation level ${isolationLevel}`
    const begin = ['start transaction', isolation, accessMode].filter(Boolean).join(' ')
    this.#inTransaction = true
    const text = [begin, ...statements].join('; ')
    if (this.#mayWait()) this.#waiting.push(toStatement(text))
    else await this.query(text)
  }

  /** An older version of pg does not send a statement before the answer to the previous one. */
  #mayWait(): boolean {
    return this.#inTransaction && this.#client.pipeline && this.#waiting.length < maxWaiting
  }

  async commit(): Promise<void> {
    const { command } = await this.query('commit')
    // PostgreSQL rolls back instead if a statement has failed.
    if (command === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
  }

  /** Rolls back, even after the signal has aborted: a connection in the pool must have no open transaction. */
  async rollback(): Promise<void> {
    // An unusable connection will be closed.
    if (this.#fault !== undefined) return
    this.signal = undefined
    await this.query('rollback')
  }

  release(): void {
    if (!this.#ending) this.#client.release(this.#fault !== undefined)
    else this.released = this.#ending.then(() => this.#client.release(true))
  }

  #mayCommit(text: string): boolean {
    return this.#inTransaction ? text === 'commit' : /\b(insert|update|delete)\b/i.test(text)
  }
}

type Statement = ReturnType<typeof toStatement>

/** With a name, the connection prepares the statement once under this name. */
const toStatement = (text: string, values: readonly unknown[] = [], name?: string) => ({
  text,
  values: values as unknown[],
  // After pg's own timeout, pg closes a connection that pipelines, even one whose commit waits for a standby.
  query_timeout: longestTimer,
  ...(name !== undefined && { name })
})

/**
 * Waits until the statement or its connection ends. A commit that waits for a standby must not be canceled: it would become
 * visible, and a client that repeats its request would learn that it is done, although no standby has it.
 */
const awaitAnswer = (client: pg.PoolClient): Promise<void> =>
  new Promise(resolve => client.once('drain', resolve).once('end', resolve))

/** The longest time of a timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1

/** The error message if there is no answer in time. */
const readTimeout = 'Query read timeout'

/** Whether the error is an answer of the server. Without an answer, a statement may still run. */
const isAnswer = (error: unknown): boolean => (error as { severity?: string }).severity !== undefined

const changingCommands = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Whether the server is read-only or shuts down. A new connection may reach another server. */
const isServerGone = (error: unknown): boolean =>
  /^(25006|57P0[1-3])$/.test(String((error as { code?: unknown }).code))

/** Waits for an answer until the signal aborts, at most for some milliseconds. */
async function waitFor<T>(answer: Promise<T>, milliseconds: number, signal?: AbortSignal): Promise<T> {
  const { promise: given, reject: giveUp } = Promise.withResolvers<never>()
  const abort = () => giveUp(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(() => giveUp(new Error(readTimeout)), milliseconds)
  try {
    return await Promise.race([answer, given])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
