import { connect } from 'node:net'
import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from 'kysely'
import type pg from 'pg'
import { codeOf, isServerError } from '../faults.ts'
import { refuseStream, traceStatement } from '../interface.ts'
import type { StatementNames } from '../prepared.ts'
import type { Servers } from './servers.ts'

/** Milliseconds after which a statement makes `Servers` probe its server. */
const slowStatement = 1000

/** A connection from the pool. It returns to the pool only if the server has answered all its statements. */
export class Connection implements DatabaseConnection {
  /** When it aborts, the running statement is canceled and rejects with the reason. */
  signal: AbortSignal | undefined
  /** Whether a transaction has begun. If a statement of it fails, all later ones fail. */
  #inTransaction = false
  /** After a statement was given up and `release()`: resolves when it is canceled and the pool has the client. */
  released: Promise<void> | undefined
  readonly #client: pg.PoolClient
  readonly #servers: Servers
  readonly #names: StatementNames
  /** The error that made the connection unusable. */
  #fault: unknown
  /** After a statement was given up: resolves when the connection may be closed. */
  #ending: Promise<void> | undefined

  constructor(client: pg.PoolClient, servers: Servers, names: StatementNames) {
    this.#client = client
    this.#servers = servers
    this.#names = names
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return traceStatement('postgresql', query.sql, () => this.#execute<R>(query))
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query
    const name = this.#names.find(query)
    const { command, rowCount, rows } = await (name === undefined
      ? this.query(sql, parameters)
      : this.#queryPrepared(name, sql, parameters))
    if (!changingCommands.has(command)) return { rows: rows as R[] }
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  streamQuery = refuseStream

  /** Executes a prepared statement. If the server refuses, nothing has happened, and the statement runs unprepared. */
  async #queryPrepared(name: string, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.query(text, values, name)
    } catch (error) {
      if (!this.#names.giveUp(text, error) || this.#inTransaction) throw error
      return this.query(text, values)
    }
  }

  /** Runs a statement. With a name, the connection prepares it once under this name. */
  async query(text: string, values: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
    if (this.#fault !== undefined) throw this.#fault
    const { signal } = this
    signal?.throwIfAborted()
    const probe = setTimeout(() => void this.#servers.probe(), slowStatement)
    try {
      const answer = this.#client.query({
        text,
        values: values as unknown[],
        ...(name !== undefined && { name })
      })
      return await (signal ? rejectOnAbort(answer, signal) : answer)
    } catch (error) {
      if (!isServerError(error) || isServerGone(error)) this.#fault = error
      if (isServerGone(error)) this.#servers.discard()
      const isGivenUp =
        (signal && error === signal.reason) || (error as Error).message === 'Query read timeout'
      if (isGivenUp)
        this.#ending = this.#mayCommit(text) ? awaitAnswer(this.#client) : cancelStatement(this.#client)
      throw error
    } finally {
      clearTimeout(probe)
    }
  }

  /** Begins a transaction and runs `statements` in the same round trip. */
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

/**
 * Waits until the statement or its connection ends. A commit that waits for a standby must not be canceled: the commit
 * would become visible, and a client that repeats its request would learn that it is done, although no standby has it.
 */
const awaitAnswer = (client: pg.PoolClient): Promise<void> =>
  new Promise(resolve => client.once('drain', resolve).once('end', resolve))

const changingCommands = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Whether the server is read-only or shuts down. A new connection may reach another server. */
const isServerGone = (error: unknown): boolean => /^(25006|57P0[1-3])$/.test(codeOf(error))

async function rejectOnAbort<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
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
/** Milliseconds. */
const cancelTimeout = 1000

/** Properties of a pg client that its types lack. */
interface BackendKey {
  host: string
  port: number
  processID: unknown
  secretKey: unknown
}

/**
 * Asks the server to cancel the running statement of a connection. Resolves when the request was sent or has failed.
 * The request uses the protocol instead of pg_cancel_backend(), because a pooler invents process ids but forwards the
 * request. The request is unencrypted, as libpq's was for decades. It reveals the key of the connection, so the caller
 * closes the connection.
 */
async function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as BackendKey
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [index, number] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(number, 4 * index)
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(cancelTimeout, () => socket.destroy())
  // If the server cannot be reached, statement_timeout ends the statement.
  socket.on('error', () => {})
  // The server answers by closing the socket. If we closed it first, PgBouncer would drop the request.
  socket.write(request)
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
}
