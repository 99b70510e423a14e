import type { CompiledQuery, DatabaseConnection } from 'kysely'
import { Semaphore } from '../semaphore.ts'
import { inStatementSpan } from '../statement-span.ts'
import { BackgroundThread } from './background-thread.ts'
import type { BackgroundFile, Statement } from './background-worker.ts'

/** An abandoned thread counts until its statement ends. */
const maxThreads = 2
/** Milliseconds after which idle threads end. */
const maxIdleTime = 30_000

/** Runs long statements on threads, so that they do not block the event loop. */
export class SqliteBackground {
  readonly #file: BackgroundFile
  readonly #places = new Semaphore(maxThreads)
  readonly #threads = new Set<BackgroundThread>()
  readonly #idle = new Set<BackgroundThread>()
  #destroyed = false
  #idleTimer: NodeJS.Timeout | undefined

  constructor(file: BackgroundFile) {
    this.#file = file
  }

  /**
   * Runs a read-only statement. Rejects with SQLite's errors. If the signal aborts, it rejects at once with the reason
   * of the signal and abandons the thread.
   */
  async run(statement: Statement, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    const leave = await this.#places.take(signal)
    if (this.#destroyed) {
      leave()
      throw closed()
    }
    let thread: BackgroundThread | undefined
    try {
      thread = this.#takeThread()
      return await thread.run(statement, signal)
    } finally {
      // A thread may fail to start, where the system has no room for another one.
      if (!thread) leave()
      else if (thread.ended) void thread.exited.then(leave)
      else this.#putBack(thread, leave)
    }
  }

  /** Creates a Kysely connection that runs its queries on threads. */
  connection(signal?: AbortSignal): DatabaseConnection {
    return {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({
        rows: (await inStatementSpan('sqlite', sql, () => this.run({ sql, parameters }, signal))) as R[]
      }),
      streamQuery: () => {
        throw new Error('the rows of a statement in the background come all at once')
      }
    }
  }

  /** Rejects waiting and running statements. Resolves once all threads have ended. */
  async destroy(): Promise<void> {
    this.#destroyed = true
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#threads].map(thread => thread.end(closed())))
  }

  #takeThread(): BackgroundThread {
    for (const thread of this.#idle) {
      this.#idle.delete(thread)
      if (!thread.ended) return thread
    }
    const thread = new BackgroundThread(this.#file)
    this.#threads.add(thread)
    void thread.exited.then(() => this.#threads.delete(thread))
    return thread
  }

  #putBack(thread: BackgroundThread, leave: () => void): void {
    this.#idle.add(thread)
    leave()
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#endIdle(), maxIdleTime).unref()
  }

  #endIdle(): void {
    for (const thread of this.#idle) void thread.end(closed())
    this.#idle.clear()
  }
}

const closed = () => new Error('the database is closed')
