import { Worker } from 'node:worker_threads'
import { locateMain } from '../../files/locate.ts'
import type { Copied, CopyJob, CopyMessage } from './copy-worker.ts'

export interface CopyOptions {
  /** Called with bytes. */
  progress?: (done: number, total: number) => void
  signal?: AbortSignal
}

const workerFile = locateMain('db/backup/copy-worker')

/**
 * Copies a database file into an empty one and checks the copy, on a thread. Rejects with the errors of SQLite, or at
 * once with the reason of the signal; the thread then ends after the step in progress.
 */
export async function copyOnThread(job: CopyJob, { progress, signal }: CopyOptions): Promise<Copied> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Copied>()
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  // Without the options of the process, which may be meant for its main file only.
  const worker = new Worker(workerFile, { workerData: job, execArgv: [] })
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the thread of the backup has ended')))
  worker.on('message', (message: CopyMessage) => {
    if (message.type === 'progress') progress?.(message.done, message.total)
    else if (message.type === 'copied') resolve(message.copied)
    else reject(Object.assign(new Error(message.message), { code: message.code }))
  })
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', abort)
    void worker.terminate()
  }
}
