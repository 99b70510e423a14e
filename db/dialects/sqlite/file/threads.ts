import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { locateMain } from '../../../../files/locate.ts'
import { inStatementSpan, refuseStream } from '../../connections.ts'
import type { DatabaseFile } from './handle.ts'
import { Reserve } from './reserve.ts'
import type { Answer } from './thread-worker.ts'

/** A thread whose caller has gone counts until its statement ends: SQLite cannot be interrupted. */
const maxThreads = 2
/** Milliseconds after which idle threads end. */
const maxIdleTime = 30_000

/** Runs long read-only statements on threads with handles of their own, so that they do not block the event loop. */
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

  /** Creates a Kysely connection that runs its queries on threads. If the signal aborts, they reject with its reason. */
  connection(signal?: AbortSignal): DatabaseConnection {
    return {
      executeQuery: query => inStatementSpan('sqlite', query.sql, () => this.#run(query, signal)),
      streamQuery: refuseStream
    }
  }

  /** Rejects waiting and running statements. Resolves once all threads have ended. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    this.#threads.close()
    await this.#threads.waitUntilUnused()
  }

  async #run<R>(query: CompiledQuery, signal?: AbortSignal): Promise<QueryResult<R>> {
    const { resource: thread, ended, putBack, discard } = await this.#threads.take(signal)
    const answer = await ask(thread, query, ended).catch(error => {
      void discard()
      throw ended.aborted ? ended.reason : error
    })
    putBack()
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#threads.closeIdle(), maxIdleTime).unref()
    if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer as QueryResult<R>
  }
}

/** Sends a statement to a thread, which keeps the process alive until it has answered. */
async function ask(thread: Worker, { sql, parameters }: CompiledQuery, signal: AbortSignal): Promise<Answer> {
  thread.ref()
  thread.postMessage({ sql, parameters })
  const [answer] = (await once(thread, 'message', { signal })) as [Answer]
  thread.unref()
  return answer
}

function startThread(file: DatabaseFile): Worker {
  // Without the options of the process, which may be meant for its main file only.
  const options = { workerData: file, execArgv: [] }
  const thread = new Worker(locateMain('db/dialects/sqlite/file/thread-worker'), options)
  // Without a listener, an error would end the process. Who waits for the thread gets it too.
  thread.on('error', () => {})
  return thread
}
