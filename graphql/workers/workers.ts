/** Worker threads for whole operations that would hold up the event loop. */
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { unavailable } from '../../runtime/errors.ts'
import { locateMain } from '../../runtime/package-files.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { fromFailure } from './failure.ts'
import type { WorkerAnswer, WorkerTask } from './task.ts'
import type { ThreadData } from './thread.ts'
import type { WorkerResult } from './worker.ts'

/** Threads for short operations, so that a page never waits for the longest ones, and threads for all others. */
const shortThreads = 1
const longThreads = 3
/** How much less urgent than the service's thread they are, see nice(2). */
const threadNiceness = 5
/** Each thread has its own PostgreSQL connection. */
export const maxWorkerThreads = shortThreads + longThreads
/** Long operations of one token at the same time: half of all threads. */
const longPerToken = 2

/** Limits that tests set. */
interface WorkerLimits {
  /** Milliseconds after which a thread without work ends. */
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
export class WorkerMemoryExceeded extends Error {}

/** The threads of a service. They start when they are needed, and end after a time without work. */
export class WorkerThreads {
  readonly #data: ThreadData
  readonly #limits: Required<WorkerLimits>
  readonly #short = new Semaphore(shortThreads)
  readonly #long = new Semaphore(longThreads)
  /** The limits of tokens with long operations. */
  readonly #tokens = new Map<string, Semaphore>()
  #pool: Promise<Piscina> | undefined
  /** Threads that have not ended yet, including those that are ending. */
  readonly #alive = new Set<Worker>()
  #replaced = 0
  #isClosed = false

  constructor(data: ThreadData, { idleTimeout = 30_000, maxHeap = findMaxHeap() }: WorkerLimits = {}) {
    this.#data = data
    this.#limits = { idleTimeout, maxHeap }
  }

  /**
   * Executes an operation on a thread. Rejects with the reason of the signal if it aborts, with WorkerMemoryExceeded, with 503
   * if the thread ends otherwise, or with an error that is not the caller's.
   */
  async run(task: WorkerTask, { token, isShort, signal }: RunOptions): Promise<WorkerAnswer> {
    signal.throwIfAborted()
    const leave = await (isShort ? this.#short.take(signal) : this.#enterLong(token, signal))
    const result = await this.#execute(task, signal).catch(error => {
      // An aborted thread ends only after its statement, and uses a processor until then.
      void this.#waitForEnds().then(leave)
      throw error
    })
    leave()
    if ('failure' in result) throw fromFailure(result.failure)
    return result
  }

  /** Reads the metrics. An operation runs until its thread is free. */
  readMetricValues() {
    const places = [this.#short, this.#long, ...this.#tokens.values()]
    return {
      graphql_threads_running: this.#short.taken + this.#long.taken,
      graphql_threads_waiting: places.reduce((sum, { waiting }) => sum + waiting, 0),
      graphql_threads_replaced_total: this.#replaced
    }
  }

  /** Ends all threads. Running and waiting operations reject. */
  async close(): Promise<void> {
    this.#isClosed = true
    const pool = await this.#pool
    // Without a thread, there is nothing to end but tasks that nobody waits for.
    if (pool && pool.threads.length > 0) await pool.destroy()
    await this.#waitForEnds()
  }

  async #enterLong(token: string, signal: AbortSignal): Promise<() => void> {
    const ofToken = this.#tokens.get(token) ?? new Semaphore(longPerToken)
    this.#tokens.set(token, ofToken)
    const leaveToken = await ofToken.take(signal)
    const leave = () => {
      leaveToken()
      if (ofToken.taken === 0) this.#tokens.delete(token)
    }
    try {
      const leaveLong = await this.#long.take(signal)
      return () => {
        leaveLong()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  async #execute(task: WorkerTask, signal: AbortSignal): Promise<WorkerResult> {
    if (this.#isClosed) throw unavailable('the service is closing', 'other')
    try {
      this.#pool ??= this.#open().catch(error => {
        this.#pool = undefined
        throw error
      })
      return await runAbortable(await this.#pool, task, signal)
    } catch (error) {
      this.#replaced++
      throw signal.aborted ? signal.reason : toError(error)
    }
  }

  async #open(): Promise<Piscina> {
    const { Piscina } = await import('piscina')
    const pool = new Piscina({
      filename: fileURLToPath(locateMain('graphql/workers/worker')),
      // Small operations of the service's thread come first. On other systems, this would slow down the whole process.
      niceIncrement: process.platform === 'linux' ? threadNiceness : 0,
      workerData: this.#data,
      minThreads: 0,
      maxThreads: maxWorkerThreads,
      idleTimeout: this.#limits.idleTimeout,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.maxHeap },
      // Without the options of the process: they may be meant for its main file only.
      execArgv: [],
      // Otherwise the event loop of a thread would stand still between two operations, with open transactions.
      atomics: 'disabled',
      recordTiming: false
    })
    const ofStarted = new WeakSet<Error>()
    pool.on('workerCreate', ({ id }) => {
      const thread = pool.threads.find(({ threadId }) => threadId === id)
      if (!thread) return
      this.#alive.add(thread)
      thread.once('exit', () => this.#alive.delete(thread))
      thread.prependListener('error', (error: Error) => ofStarted.add(error))
    })
    pool.on('error', error => {
      // An aborted thread may still say that it has no memory left. One that ends before its first operation would let it
      // wait for ever.
      if (ofStarted.has(error) || pool.queueSize === 0) return
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

/** Runs a task until the signal aborts. Throws if no thread can be made for it, for example because of a limit on threads. */
async function runAbortable(pool: Piscina, task: WorkerTask, signal: AbortSignal): Promise<WorkerResult> {
  signal.throwIfAborted()
  const gone = new AbortController()
  const abort = () => gone.abort(signal.reason)
  try {
    const running: Promise<WorkerResult> = pool.run(task, { signal: gone.signal })
    signal.addEventListener('abort', abort)
    return await running
  } catch (error) {
    // If it has thrown at once, the pool keeps the task, and nobody has the promise of its result.
    if (!gone.signal.aborted) task.request = nothing
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const nothing = { query: '{ __typename }' }

const toError = (error: unknown): Error =>
  (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new WorkerMemoryExceeded('the operation needs more memory than a worker has', { cause: error })
    : unavailable(error, 'other')

/** Returns the MiB of a thread's heap: 512, or a quarter of the memory of the process's container if that is less. */
function findMaxHeap(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(512, Math.max(64, Math.floor(limit / 4 / 2 ** 20))) : 512
}
