import type { CompiledQuery, DatabaseConnection } from 'kysely'
import { Semaphore } from '../semaphore.ts'
import { BackgroundThread } from './background-thread.ts'
import type { BackgroundFile, Statement } from './background-worker.ts'

/** Threads at most. One that was given up counts until the statement that it runs has come to its end. */
const maxThreads = 2
/** Milliseconds without a statement after which the threads end. */
const maxIdleTime = 30_000

/** Runs statements that take long on threads of their own, so that the event loop serves others meanwhile. */
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
   * Runs a statement that only reads. Rejects with SQLite's own errors; with the reason of the signal as soon as that
   * aborts: the thread of a statement that runs is then given up.
   */
  async run(statement: Statement, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    const leave = await this.#places.take(signal)
    if (this.#destroyed) {
      leave()
      throw closed()
    }
    const thread = this.#takeThread()
    try {
      return await thread.run(statement, signal)
    } finally {
      if (thread.ended) void thread.exited.then(leave)
      else this.#putBack(thread, leave)
    }
  }

  /** A connection for Kysely that runs its queries in the background. */
  connection(signal?: AbortSignal): DatabaseConnection {
    return {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({
        rows: (await this.run({ sql, parameters }, signal)) as R[]
      }),
      streamQuery: () => {
        throw new Error('the rows of a statement in the background come all at once')
      }
    }
  }

  /** Rejects what still waits or runs. Resolves when all threads have ended. */
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
