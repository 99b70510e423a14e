import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { locateMain } from '../../files/locate.ts'
import type { Copied, CopyJob, CopyMessage } from './copy-worker.ts'

export interface CopyOptions {
  /** Called with bytes. */
  progress?: (done: number, total: number) => void
  signal?: AbortSignal
}

/**
 * Copies a database file into an empty one and checks the copy, on a thread: a check or the last sync would block the
 * event loop for seconds. Rejects if the signal aborts; the thread then ends after the step in progress.
 */
export async function copyOnThread(job: CopyJob, { progress, signal }: CopyOptions): Promise<Copied> {
  signal?.throwIfAborted()
  // Without the options of the process, which may be meant for its main file only.
  const worker = new Worker(locateMain('db/backup/copy-worker'), { workerData: job, execArgv: [] })
  try {
    const messages = on(worker, 'message', { close: ['exit'], ...(signal && { signal }) })
    for await (const [message] of messages as AsyncIterable<[CopyMessage]>) {
      if ('sha256' in message) return message
      progress?.(message.done, message.total)
    }
    throw new Error('the thread of the backup has ended')
  } finally {
    void worker.terminate()
  }
}
