import { connect } from 'node:net'
import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import { inStatementSpan, refuseStream } from '../connections.ts'
import { isMarkedPrepared } from '../prepared.ts'
import type { StatementNames } from './prepared-statements.ts'
import type { Servers } from './servers.ts'

/** Milliseconds after which a statement raises the question whether its server hangs. */
const slowStatement = 1000

/** A connection taken from the pool. It is put back only if all its statements got an answer. */
export class Connection implements DatabaseConnection {
  /** Cancels its statements when it aborts: they reject with its reason. */
  signal: AbortSignal | undefined
  /** Whether a transaction has begun. A statement that fails makes all of it fail. */
  #inTransaction = false
  /** After `release()`: resolves when the pool has it back. A statement that was given up has to be canceled before. */
  released: Promise<void> | undefined
  readonly #client: pg.PoolClient
  readonly #servers: Servers
  readonly #names: StatementNames
  /** The error that made the connection unusable. */
  #broken: unknown
  /** After a statement that was given up: resolves when its connection may be closed. */
  #ending: Promise<void> | undefined

  constructor(client: pg.PoolClient, servers: Servers, names: StatementNames) {
    this.#client = client
    this.#servers = servers
    this.#names = names
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

  streamQuery = refuseStream

  /** Executes a prepared statement. If the server refuses that, nothing has happened: the statement runs without a name. */
  async #queryPrepared(name: string, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.query(text, values, name)
    } catch (error) {
      if (!this.#names.giveUp(text, error) || this.#inTransaction) throw error
      return this.query(text, values)
    }
  }

  /** Runs a statement; with a name, the connection prepares it under that name if it has not yet. */
  async query(text: string, values: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
    if (this.#broken !== undefined) throw this.#broken
    const { signal } = this
    signal?.throwIfAborted()
    const isSlow = setTimeout(() => void this.#servers.probe(), slowStatement)
    try {
      const answer = this.#client.query({
        text,
        values: values as unknown[],
        ...(name !== undefined && { name })
      })
      return await (signal ? unlessAborted(answer, signal) : answer)
    } catch (error) {
      if (!isAnswer(error) || isServerGone(error)) this.#broken = error
      if (isServerGone(error)) this.#servers.discard()
      const isGivenUp =
        (signal && error === signal.reason) || (error as Error).message === 'Query read timeout'
      if (isGivenUp)
        this.#ending = this.#mayCommit(text) ? awaitAnswer(this.#client) : cancelStatement(this.#client)
      throw error
    } finally {
      clearTimeout(isSlow)
    }
  }

  /** Begins a transaction; `statements` follow in the same round trip. */
  async begin({ isolationLevel, accessMode }: TransactionSettings, statements: string[]): Promise<void> {
    const isolation = isolationLevel && `isolation level ${isolationLevel}`
    const begin = ['start transaction', isolation, accessMode].filter(Boolean).join(' ')
    this.#inTransaction = true
    await this.query([begin, ...statements].join('; '))
  }

  async commit(): Promise<void> {
    const { command } = await this.query('commit')
    // PostgreSQL rolls back instead if a statement has failed.
    if (command === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
  }

  /** Rolls back, also after the signal has aborted: the pool must not get a connection with a transaction. */
  async rollback(): Promise<void> {
    // A connection that is broken or given up is closed.
    if (this.#broken !== undefined) return
    this.signal = undefined
    await this.query('rollback')
  }

  release(): void {
    if (!this.#ending) this.#client.release(this.#broken !== undefined)
    else this.released = this.#ending.then(() => this.#client.release(true))
  }

  #mayCommit(text: string): boolean {
    return this.#inTransaction ? text === 'commit' : /\b(insert|update|delete)\b/i.test(text)
  }
}

/**
 * Waits until a statement is over, or its connection. A commit that waits for a standby must not be canceled: others would
 * see it, and a client that repeats its request would be told that it is done, while no standby has it.
 */
const awaitAnswer = (client: pg.PoolClient): Promise<void> =>
  new Promise(resolve => client.once('drain', resolve).once('end', resolve))

/** Whether the server reported the error. Without its answer, a statement may still run. */
const isAnswer = (error: unknown): boolean => (error as { severity?: string }).severity !== undefined

const changingCommands = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Whether the server does not write, or shuts down. A new connection may lead to another. */
const isServerGone = (error: unknown): boolean =>
  /^(25006|57P0[1-3])$/.test(String((error as { code?: unknown }).code))

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

/** Code of a CancelRequest: PostgreSQL, "Message Formats". */
const cancelRequestCode = 80_877_102
/** Milliseconds to wait for the server to accept the request. */
const maxWait = 1000

/** Properties of a pg client that its types lack. */
interface BackendKey {
  host: string
  port: number
  processID: unknown
  secretKey: unknown
}

/**
 * Requests the server to cancel the statement running on a connection; resolves once the request was sent or failed. It
 * uses the protocol instead of pg_cancel_backend(), because a pooler invents process ids but forwards the request. The
 * request is unencrypted, as libpq's was for decades; the caller closes the connection whose key it reveals.
 */
async function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as BackendKey
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [index, number] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(number, 4 * index)
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(maxWait, () => socket.destroy())
  // If the server cannot be reached, statement_timeout ends the statement.
  socket.on('error', () => {})
  // The server responds by closing the connection. If we closed it first, PgBouncer would drop the request.
  socket.write(request)
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
}
