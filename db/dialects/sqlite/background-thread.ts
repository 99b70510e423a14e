import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { locateMain } from '../../../files/locate.ts'
import type { Answer, BackgroundFile, Columns, Statement } from './background-worker.ts'

type Row = Record<string, unknown>

const workerFile = locateMain('db/dialects/sqlite/background-worker')

/** A thread with a read-only handle on the database file. It keeps the process alive only while a statement runs. */
export class BackgroundThread {
  readonly #worker: Worker
  readonly #ended = new AbortController()
  /** Resolves once the thread has ended. */
  readonly exited: Promise<void>

  constructor(file: BackgroundFile) {
    // Without the options of the process, which may be meant for its main file only.
    this.#worker = new Worker(workerFile, { workerData: file, execArgv: [] })
    this.#worker.unref()
    // Without a listener, the error would end the process. Waiting callers also get it.
    this.#worker.on('error', error => this.#ended.abort(error))
    this.exited = new Promise(resolve => {
      this.#worker.once('exit', () => {
        this.#ended.abort(new Error('the background thread has ended'))
        resolve()
      })
    })
  }

  /** Whether it accepts no more statements. */
  get ended(): boolean {
    return this.#ended.signal.aborted
  }

  /**
   * Runs one statement; the caller must wait for it before the next one. Rejects with SQLite's errors. If the signal
   * aborts, it rejects at once with the reason of the signal and abandons the thread.
   */
  async run(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
    const given = AbortSignal.any([this.#ended.signal, ...(signal ? [signal] : [])])
    given.throwIfAborted()
    this.#worker.ref()
    try {
      this.#worker.postMessage(statement)
      const [answer] = (await once(this.#worker, 'message', { signal: given })) as [Answer]
      if ('columns' in answer) return toRows(answer.columns)
      const { message, code } = answer.error
      throw code === undefined ? new Error(message) : new Sqlite.SqliteError(message, code)
    } catch (error) {
      if (!given.aborted) throw error
      void this.end(given.reason)
      throw given.reason
    } finally {
      // A thread that is ending keeps the process alive, because the next statement may wait for its place.
      if (!this.ended) this.#worker.unref()
    }
  }

  /** Resolves once the thread has ended. SQLite cannot be interrupted, so a running statement continues to its end. */
  async end(reason: unknown = new Error('the database is closed')): Promise<void> {
    this.#ended.abort(reason)
    await this.#worker.terminate()
  }
}

function toRows({ names, values }: Columns): Row[] {
  return Array.from({ length: values[0]?.length ?? 0 }, (_, index) => {
    const row: Row = {}
    for (const [column, name] of names.entries()) row[name] = values[column]?.[index]
    return row
  })
}
