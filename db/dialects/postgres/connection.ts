import type pg from 'pg'
import { cancelStatement } from './cancel.ts'

export interface ConnectionSettings {
  /** Whether an error is the server's response to a statement. Otherwise the statement may still be running. */
  isAnswer: (error: unknown) => boolean
  /** Statements at the start of each transaction. */
  transactionSettings: string
}

/** A connection from the pool. It is returned only if every statement got a response, and closed otherwise. */
export class Connection {
  readonly #client: pg.PoolClient
  readonly #settings: ConnectionSettings
  /** The error that made the connection unusable. */
  #broken: unknown
  /** Whether an abandoned statement is still running. */
  #givenUp = false

  constructor(client: pg.PoolClient, settings: ConnectionSettings) {
    this.#client = client
    this.#settings = settings
  }

  /** Rejects with the reason of the signal as soon as it aborts. */
  async query(text: string, values: unknown[], signal?: AbortSignal): Promise<pg.QueryResult> {
    if (this.#broken !== undefined) throw this.#broken
    signal?.throwIfAborted()
    try {
      const answer = this.#client.query(this.#withSettings(text), values)
      return await (signal ? unlessAborted(answer, signal) : answer)
    } catch (error) {
      if (!this.#settings.isAnswer(error) || isWrongServer(error)) this.#broken = error
      this.#givenUp = signal?.aborted === true || (error as Error).message === 'Query read timeout'
      throw error
    }
  }

  release(discard = false): void {
    if (this.#givenUp) void cancelStatement(this.#client).then(() => this.#client.release(true))
    else this.#client.release(discard || this.#broken !== undefined)
  }

  #withSettings(text: string): string {
    return /^(begin|start transaction)\b/.test(text) ? text + this.#settings.transactionSettings : text
  }
}

/**
 * Whether the server refused to write, as a standby does: 25006, or 0A000 for a serializable transaction. A new connection
 * may lead to the new primary, and it has no prepared statements, which also fail with 0A000 after a change of a table.
 */
const isWrongServer = (error: unknown): boolean =>
  ['25006', '0A000'].includes((error as { code?: string }).code ?? '')

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
