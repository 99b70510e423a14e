import type pg from 'pg'
import { cancelStatement } from './cancel.ts'

export interface ConnectionSettings {
  /** Whether an error is the server's answer to a statement: without one, the statement may still run. */
  isAnswer: (error: unknown) => boolean
  /** Statements that each transaction begins with. */
  transactionSettings: string
}

/** A connection that was taken out of the pool. It goes back only if every statement of it got an answer. */
export class Connection {
  readonly #client: pg.PoolClient
  readonly #settings: ConnectionSettings
  readonly #onRelease: () => void
  /** The error after which nothing more can be asked. */
  #broken: unknown
  /** Whether a statement still runs that nobody waits for. */
  #givenUp = false

  constructor(client: pg.PoolClient, settings: ConnectionSettings, onRelease = () => {}) {
    this.#client = client
    this.#settings = settings
    this.#onRelease = onRelease
  }

  /** Rejects with the reason of the signal as soon as that aborts. */
  async query(text: string, values: unknown[], signal?: AbortSignal): Promise<pg.QueryResult> {
    if (this.#broken !== undefined) throw this.#broken
    signal?.throwIfAborted()
    try {
      const answer = this.#client.query(this.#withSettings(text), values)
      return await (signal ? unlessAborted(answer, signal) : answer)
    } catch (error) {
      if (!this.#settings.isAnswer(error)) this.#broken = error
      this.#givenUp = signal?.aborted === true || (error as Error).message === 'Query read timeout'
      throw error
    }
  }

  release(discard = false): void {
    if (this.#givenUp) void cancelStatement(this.#client).then(() => this.#release(true))
    else this.#release(discard || this.#broken !== undefined)
  }

  #release(discard: boolean): void {
    this.#client.release(discard)
    this.#onRelease()
  }

  #withSettings(text: string): string {
    return /^(begin|start transaction)\b/.test(text) ? text + this.#settings.transactionSettings : text
  }
}

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
