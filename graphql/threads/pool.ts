/** Worker threads for whole operations that would hold up the event loop. */
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { unavailable } from '../../runtime/errors.ts'
import { locateMain } from '../../runtime/package/package-files.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { fromFailure } from './failure.ts'
import type { ThreadResult } from './main.ts'
import type { ThreadAnswer, ThreadData, ThreadTask } from './thread.ts'

/** Threads for short operations, so that a page never waits for the longest ones, and threads for all others. */
const shortThreads = 1
const longThreads = 3
/** The niceness of a worker thread above that of the service's thread, see nice(2). */
const threadNiceness = 5
/** Each thread has its own PostgreSQL connection. */
export const maxWorkerThreads = shortThreads + longThreads
/** Long operations of one token at the same time: half of all threads. */
const longPerToken = 2

/** Limits that tests set. */
interface ThreadLimits {
  /** Milliseconds after which a thread without work ends. A user waits about a second for the start of the next. */
  idleTimeout?: number
  /** MiB of JavaScript objects in a thread. `--max-old-space-size` of the process has precedence. */
  maxHeap?: number
}

interface RunOptions {
  /** Identifies the access token. */
  token: string
  isShort: boolean
  /** Ends the wait, or the thread that executes the operation. */
  signal: AbortSignal
}

/** The operation needs more memory than a worker thread has. */
export class ThreadMemoryExceeded extends Error {}

/** The threads of a service. They start when they are needed, and end after a time without work. */
export class WorkerThreads {
  readonly #data: ThreadData
  readonly #limits: Required<ThreadLimits>
  readonly #short = new Semaphore(shortThreads)
  readonly #long = new Semaphore(longThreads)
  /** The limits of tokens with long operations. */
  readonly #tokens = new Map<string, Semaphore>()
  #pool: Promise<Piscina> | undefined
  /** Threads that have not ended yet, including those that are ending. */
  readonly #alive = new Set<Worker>()
  #terminated = 0
  #isClosed = false

  constructor(data: ThreadData, { idleTimeout = 300_000, maxHeap = findMaxHeap() }: ThreadLimits = {}) {
    this.#data = data
    this.#limits = { idleTimeout, maxHeap }
  }

  /**
   * Executes an operation on a thread. `begin` makes the task when a thread is free.
   * - Rejects with the reason of the signal if the signal aborts.
   * - Rejects with ThreadMemoryExceeded if the thread runs out of memory.
   * - Rejects with 503 if the thread ends otherwise.
   * - Rejects with any other error only if the service fails. The caller's mistakes are in the answer.
   */
  async run(begin: () => ThreadTask, { token, isShort, signal }: RunOptions): Promise<ThreadAnswer> {
    signal.throwIfAborted()
    const release = await (isShort ? this.#short.take(signal) : this.#takeLong(token, signal))
    const result = await this.#execute(begin, signal).catch(error => {
      // An aborted thread ends only after its statement, and uses a processor until then.
      void this.#waitForEnds().then(release)
      throw error
    })
    release()
    if ('failure' in result) throw fromFailure(result.failure)
    return result
  }

  /** Reads the metrics. An operation counts as running until its thread is free again. */
  readMetricValues() {
    const semaphores = [this.#short, this.#long, ...this.#tokens.values()]
    return {
      graphql_threads_running: this.#short.taken + this.#long.taken,
      graphql_threads_waiting: semaphores.reduce((sum, { waiting }) => sum + waiting, 0),
      graphql_threads_terminated_total: this.#terminated
    }
  }

  /** Ends all threads. Running and waiting operations reject. */
  async close(): Promise<void> {
    this.#isClosed = true
    const pool = await this.#pool
    // If there is no thread, there are only tasks that nobody waits for.
    if (pool && pool.threads.length > 0) await pool.destroy()
    await this.#waitForEnds()
  }

  async #takeLong(token: string, signal: AbortSignal): Promise<() => void> {
    const ofToken = this.#tokens.get(token) ?? new Semaphore(longPerToken)
    this.#tokens.set(token, ofToken)
    const releaseToken = await ofToken.take(signal)
    const release = () => {
      releaseToken()
      if (ofToken.taken === 0) this.#tokens.delete(token)
    }
    const releaseLong = await this.#long.take(signal).catch(error => {
      release()
      throw error
    })
    return () => {
      releaseLong()
      release()
    }
  }

  async #execute(begin: () => ThreadTask, signal: AbortSignal): Promise<ThreadResult> {
    if (this.#isClosed) throw unavailable('the service is closing', 'other')
    const task = begin()
    const own = new AbortController()
    const abort = () => own.abort(signal.reason)
    try {
      this.#pool ??= this.#open().catch(error => {
        this.#pool = undefined
        throw error
      })
      const pool = await this.#pool
      signal.throwIfAborted()
      const running: Promise<ThreadResult> = pool.run(task, { signal: own.signal })
      signal.addEventListener('abort', abort)
      return await running.catch(error => {
        this.#terminated++
        throw error
      })
    } catch (error) {
      // If `run` has thrown, because no thread can be made, the pool still has the task, and runs it later for nobody.
      if (!own.signal.aborted) task.parameters = emptyParameters
      throw signal.aborted ? signal.reason : toError(error)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #open(): Promise<Piscina> {
    const { Piscina } = await import('piscina')
    const pool = new Piscina({
      filename: fileURLToPath(locateMain('graphql/threads/main')),
      // Small operations of the service's thread come first. On other systems, this would slow down the whole process.
      niceIncrement: process.platform === 'linux' ? threadNiceness : 0,
      workerData: this.#data,
      minThreads: 0,
      maxThreads: maxWorkerThreads,
      idleTimeout: this.#limits.idleTimeout,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.maxHeap },
      // A thread does not get the options of the process: they may be meant for its main file only.
      execArgv: [],
      // Otherwise the event loop of a thread would stand still between two operations, with open transactions.
      atomics: 'disabled',
      recordTiming: false
    })
    const errorsOfStarted = new WeakSet<Error>()
    pool.on('workerCreate', ({ id }) => {
      const thread = pool.threads.find(({ threadId }) => threadId === id)
      if (!thread) return
      this.#alive.add(thread)
      thread.once('exit', () => this.#alive.delete(thread))
      thread.prependListener('error', (error: Error) => errorsOfStarted.add(error))
    })
    pool.on('error', error => {
      // An error of a thread that has started concerns its own operation alone: it may come from an aborted thread that
      // has no memory left. If a thread ends before it has started, its operation would wait forever.
      if (errorsOfStarted.has(error) || pool.queueSize === 0) return
      this.#pool = undefined
      void pool.destroy()
    })
    return pool
  }

  /** Waits until all threads that are ending have ended. */
  async #waitForEnds(): Promise<void> {
    const used = new Set((await this.#pool?.catch(() => undefined))?.threads)
    const ending = [...this.#alive].filter(thread => !used.has(thread))
    // `once` of node:events would reject at an error of a thread, which its operation, not the service, ends with.
    await Promise.all(ending.map(thread => new Promise(resolve => thread.once('exit', resolve))))
  }
}

const emptyParameters = { query: '{ __typename }' }

const toError = (error: unknown): Error =>
  (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ThreadMemoryExceeded('the operation needs more memory than a worker thread has', { cause: error })
    : unavailable(error, 'other')

/** Returns the MiB of a thread's heap: 512, or a quarter of the memory of the process's container if that is less. */
function findMaxHeap(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(512, Math.max(64, Math.floor(limit / 4 / 2 ** 20))) : 512
}
