import type { CompiledQuery, DatabaseConnection } from 'kysely'
import { BackgroundThread } from './background-thread.ts'
import type { BackgroundFile, Statement } from './background-worker.ts'

/** Threads at most. One that was given up counts until the statement that it runs has come to its end. */
const maxThreads = 2
/** Milliseconds without a statement after which the threads end. */
const maxIdleTime = 30_000

/** Runs statements that take long on threads of their own, so that the event loop serves others meanwhile. */
export class SqliteBackground {
  readonly #file: BackgroundFile
  readonly #threads = new Set<BackgroundThread>()
  readonly #idle = new Set<BackgroundThread>()
  readonly #waiting = new Set<PromiseWithResolvers<BackgroundThread>>()
  #idleTimer: NodeJS.Timeout | undefined
  #destroyed = false

  constructor(file: BackgroundFile) {
    this.#file = file
  }

  /**
   * Runs a statement that only reads. Rejects with SQLite's own errors; with the reason of the signal as soon as that
   * aborts: the thread of a statement that runs is then given up.
   */
  async run(statement: Statement, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    const thread = await this.#takeThread(signal)
    try {
      return await thread.run(statement, signal)
    } finally {
      this.#putBack(thread)
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
    for (const { reject } of this.#waiting) reject(closed())
    this.#waiting.clear()
    await Promise.all([...this.#threads].map(thread => thread.end(closed())))
  }

  async #takeThread(signal?: AbortSignal): Promise<BackgroundThread> {
    if (this.#destroyed) throw closed()
    signal?.throwIfAborted()
    const waiting = Promise.withResolvers<BackgroundThread>()
    const leave = () => {
      this.#waiting.delete(waiting)
      waiting.reject(signal?.reason)
    }
    signal?.addEventListener('abort', leave)
    this.#waiting.add(waiting)
    this.#assignThreads()
    try {
      return await waiting.promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** First come, first served. */
  #assignThreads(): void {
    for (const waiting of this.#waiting) {
      const thread = this.#freeThread()
      if (!thread) return
      this.#waiting.delete(waiting)
      waiting.resolve(thread)
    }
  }

  #freeThread(): BackgroundThread | undefined {
    for (const thread of this.#idle) {
      this.#idle.delete(thread)
      if (!thread.ended) return thread
    }
    return this.#threads.size < maxThreads ? this.#startThread() : undefined
  }

  #startThread(): BackgroundThread {
    const thread = new BackgroundThread(this.#file, () => {
      this.#threads.delete(thread)
      this.#idle.delete(thread)
      this.#assignThreads()
    })
    this.#threads.add(thread)
    return thread
  }

  #putBack(thread: BackgroundThread): void {
    if (thread.ended) return
    this.#idle.add(thread)
    this.#assignThreads()
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#endIdle(), maxIdleTime).unref()
  }

  #endIdle(): void {
    for (const thread of this.#idle) void thread.end(closed())
    this.#idle.clear()
  }
}

const closed = () => new Error('the database is closed')
