import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from 'kysely'
import { locateMain } from '../../../package-files.ts'
import { Reserve } from '../../../semaphore.ts'
import { refuseStream, traceStatement } from '../interface.ts'
import type { DatabaseFile } from './handle.ts'
import type { Answer, Statement } from './thread-worker.ts'

/** A thread whose caller has gone counts until its statement ends, because SQLite cannot be interrupted. */
const maxThreads = 4
/** Milliseconds without any use after which idle threads end. */
const maxIdleTime = 30_000

/** A connection that can begin and end a transaction. */
export interface TransactionConnection extends DatabaseConnection {
  begin(settings: TransactionSettings): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Threads with read-only handles of their own, so that long statements do not block the event loop. */
export class SqliteThreads {
  readonly #threads: Reserve<Worker>
  #idleTimer: NodeJS.Timeout | undefined

  constructor(file: DatabaseFile) {
    this.#threads = new Reserve(
      maxThreads,
      () => startThread(file),
      thread => thread.terminate()
    )
  }

  /** Lends a thread to a consumer. If the signal aborts, the wait or the running statement rejects with the reason. */
  async provide<T>(
    consumer: (connection: DatabaseConnection) => Promise<T>,
    signal: AbortSignal | undefined
  ): Promise<T> {
    const { resource: thread, ended, giveBack } = await this.#threads.take(signal)
    const connection = new ThreadConnection(thread, ended)
    try {
      return await consumer(connection)
    } finally {
      void giveBack(connection.isUsable)
      clearTimeout(this.#idleTimer)
      this.#idleTimer = setTimeout(() => this.#threads.closeIdle(), maxIdleTime).unref()
    }
  }

  /** Rejects waiting consumers and running statements. Resolves when all threads have ended. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    this.#threads.close()
    await this.#threads.waitUntilUnused()
  }
}

/** Runs statements on a thread, one after another. */
class ThreadConnection implements TransactionConnection {
  /** false if a statement may still run or a transaction may still be open. */
  isUsable = true
  readonly #thread: Worker
  readonly #ended: AbortSignal

  constructor(thread: Worker, ended: AbortSignal) {
    this.#thread = thread
    this.#ended = ended
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return traceStatement('sqlite', sql, () => this.#run<R>({ sql, parameters }))
  }

  streamQuery = refuseStream

  begin(): Promise<void> {
    return this.#runControl({ sql: 'begin' })
  }

  commit(): Promise<void> {
    return this.#runControl({ sql: 'commit' })
  }

  async rollback(): Promise<void> {
    // A thread that is not usable will end.
    if (!this.isUsable) return
    this.isUsable = false
    const answer = await ask(this.#thread, { sql: 'rollback' })
    this.isUsable = !('error' in answer)
  }

  /** Begins or ends a transaction. If that fails, the thread must not be used again. */
  async #runControl(statement: Statement): Promise<void> {
    await this.#run(statement).catch(error => {
      this.isUsable = false
      throw error
    })
  }

  async #run<R>(statement: Statement): Promise<QueryResult<R>> {
    const ended = this.#ended
    ended.throwIfAborted()
    const answer = await ask(this.#thread, statement, ended).catch(error => {
      this.isUsable = false
      throw ended.aborted ? ended.reason : error
    })
    if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer as QueryResult<R>
  }
}

/** Sends a statement to a thread. It keeps the process alive until it has answered. Rejects if the thread has ended. */
async function ask(thread: Worker, statement: Statement, signal?: AbortSignal): Promise<Answer> {
  if (thread.threadId === idOfEnded) throw threadEnded()
  thread.ref()
  thread.postMessage(statement)
  const [answer] = (await once(thread, 'message', signal ? { signal } : {})) as [Answer]
  thread.unref()
  return answer
}

/** The id that Node.js gives a thread that has ended. */
const idOfEnded = -1

/** The code tells the client to try again, on a new thread. */
const threadEnded = () => Object.assign(new Error('the thread has ended'), { code: 'SQLITE_IOERR' })

function startThread(file: DatabaseFile): Worker {
  // Without the options of the process: they may be meant for its main file only.
  const options = { workerData: file, execArgv: [] }
  const thread = new Worker(locateMain('db/dialects/sqlite/thread-worker'), options)
  // Without a listener, an error would end the process. The caller that waits for the thread gets the error too.
  thread.on('error', () => {})
  thread.once('exit', () => thread.emit('error', threadEnded()))
  return thread
}
