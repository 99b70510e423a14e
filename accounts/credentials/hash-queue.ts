/** Limits how many passwords are hashed at the same time in a process. */
import { availableParallelism } from 'node:os'
import { overloaded } from '../../runtime/errors.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { inSpan } from '../../runtime/tracing.ts'

/** Maximum number of hashes that wait in the queue. */
const maxQueueLength = 32
/** Maximum milliseconds that a hash waits in the queue. */
const maxWaitMs = 2000
/** Maximum number of running hashes, because each takes 46 MiB by default. */
const maxConcurrentHashes = 4

/**
 * Returns how many hashes may run concurrently. Each needs a core and a thread of libuv's pool. One core stays free,
 * and half of the pool, which also reads files and resolves host names. `poolSize` is UV_THREADPOOL_SIZE.
 */
export function countConcurrentHashes(cores: number, poolSize = '4'): number {
  const threads = Number.parseInt(poolSize, 10) || 1
  return Math.max(1, Math.min(maxConcurrentHashes, cores - 1, Math.floor(threads / 2)))
}

/** An observer gets the seconds that a hash waited or took. */
type ObserveHash = (metric: 'hash_wait_seconds' | 'hash_duration_seconds', seconds: number) => void

const places = new Semaphore(countConcurrentHashes(availableParallelism(), process.env.UV_THREADPOOL_SIZE))
const observers = new Set<ObserveHash>()
let refused = 0

/** Runs a hash as soon as the queue allows. Rejects with `overloaded` if the queue is full or the wait too long. */
export const runQueuedHash = <T>(hash: () => Promise<T>): Promise<T> =>
  inSpan('hash', {}, async () => {
    const since = performance.now()
    if (places.waiting >= maxQueueLength) throw refuse('the queue of hashes is full')
    const error = () => refuse('waited too long for a hash')
    const release = await places.take(undefined, { milliseconds: maxWaitMs, error })
    const begun = performance.now()
    observe('hash_wait_seconds', begun - since)
    try {
      return await hash()
    } finally {
      observe('hash_duration_seconds', performance.now() - begun)
      release()
    }
  })

function refuse(detail: string): Error {
  refused++
  return overloaded(detail, 'hash_queue')
}

function observe(metric: Parameters<ObserveHash>[0], milliseconds: number): void {
  for (const observer of observers) observer(metric, milliseconds / 1000)
}

/** Observes the hashes of all services. Returns the function that stops this. */
export function observeHashes(observer: ObserveHash): () => void {
  observers.add(observer)
  return () => void observers.delete(observer)
}

/** Reads the metrics of the queue, which all services share. */
export const readHashMetrics = () => ({
  hashes_running: places.taken,
  hashes_waiting: places.waiting,
  hashes_refused_total: refused
})
