/** The main file of a worker process. */
import { beginStart, finishStart } from '../memory.ts'

beginStart()
const { runWorker } = await import('./worker.ts')
await runWorker()
finishStart()
