import { Worker } from 'node:worker_threads'
import { locateMain } from '../../../files/locate.ts'
import { type IndexedRow, type PreparedEntries, prepareRows } from './prepare-entries.ts'

const workerFile = locateMain('db/dialects/sqlite/load-worker')

/** A thread that prepares the entries of rows. If it fails, the caller's thread does what is left. */
export class LoadThread {
  readonly #worker: Worker | undefined
  /** Rows that were sent to the thread and are not answered yet, in order. */
  readonly #waiting: {
    rows: IndexedRow[]
    resolve: (prepared: PreparedEntries | Promise<PreparedEntries>) => void
  }[] = []
  #failed = false

  constructor() {
    try {
      // The options of the process may be meant for its main file only, so the thread gets none.
      this.#worker = new Worker(workerFile, { execArgv: [] })
    } catch {
      // The system has no room for another thread.
      this.#failed = true
      return
    }
    this.#worker.on('message', (prepared: PreparedEntries) => this.#waiting.shift()?.resolve(prepared))
    this.#worker.on('error', () => this.#fail())
    this.#worker.on('exit', () => this.#fail())
  }

  prepare(rows: IndexedRow[]): Promise<PreparedEntries> {
    if (this.#failed) return prepareHere(rows)
    const { promise, resolve } = Promise.withResolvers<PreparedEntries>()
    this.#waiting.push({ rows, resolve })
    this.#worker?.postMessage(rows)
    return promise
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
  }

  #fail(): void {
    this.#failed = true
    for (const { rows, resolve } of this.#waiting.splice(0)) resolve(prepareHere(rows))
  }
}

const prepareHere = async (rows: IndexedRow[]): Promise<PreparedEntries> => prepareRows(rows)
