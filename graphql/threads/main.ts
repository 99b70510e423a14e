/** The main file of the threads of `pool.ts`. */
import { workerData } from 'node:worker_threads'
import { type Failure, toFailure } from './failure.ts'
import type { ThreadAnswer, ThreadTask } from './thread.ts'

/** The result that a thread sends back. */
export type ThreadResult = ThreadAnswer | { failure: Failure }

export default async function execute(task: ThreadTask): Promise<ThreadResult> {
  try {
    // This is imported here, because nothing would report why a thread has ended before its first operation.
    const { executeTask } = await import('./thread.ts')
    return await executeTask(workerData, task)
  } catch (error) {
    return { failure: toFailure(error) }
  }
}
