import { availableParallelism } from 'node:os'
import { overloaded } from '../errors.ts'
import { inSpan } from '../tracing/active.ts'

/** Hashes waiting in the queue. */
const maxQueueLength = 32
/** Milliseconds in the queue. */
const maxWait = 2000
/** Bounds memory: each running hash takes 46 MiB by default. */
const maxConcurrentHashes = 4

/**
 * Returns how many hashes may run concurrently. Each takes a core and a thread of libuv's pool. One core stays free,
 * and half of the pool, which also reads files and resolves host names. `poolSize` is UV_THREADPOOL_SIZE.
 */
export function countConcurrentHashes(cores: number, poolSize = '4'): number {
  const threads = Number.parseInt(poolSize, 10) || 1
  return Math.max(1, Math.min(maxConcurrentHashes, cores - 1, Math.floor(threads / 2)))
}

/** Is told the seconds that each hash waited and took. */
type ObserveHash = (figure: 'hash_wait_seconds' | 'hash_duration_seconds', seconds: number) => void

interface HashQueue {
  concurrency: number
  running: number
  waiting: { start: () => void; giveUp: NodeJS.Timeout }[]
  refused: number
  observers: Set<ObserveHash>
}

/** One queue per process: several copies of this package share its cores and threads. */
const name = Symbol.for('product-templates.hash-queue')
const shared = globalThis as { [name]?: HashQueue }
shared[name] ??= {
  concurrency: countConcurrentHashes(availableParallelism(), process.env.UV_THREADPOOL_SIZE),
  running: 0,
  waiting: [],
  refused: 0,
  observers: new Set()
}
const queue = shared[name]

/** Runs a hash as soon as the queue allows. Rejects with `overloaded` if the queue is full or the wait too long. */
export const runQueuedHash = <T>(hash: () => Promise<T>): Promise<T> =>
  inSpan('hash', {}, () => waitAndRun(hash))

async function waitAndRun<T>(hash: () => Promise<T>): Promise<T> {
  const since = performance.now()
  if (queue.running < queue.concurrency) queue.running++
  else await waitForRoom()
  const begun = performance.now()
  observe('hash_wait_seconds', begun - since)
  try {
    return await hash()
  } finally {
    observe('hash_duration_seconds', performance.now() - begun)
    const next = queue.waiting.shift()
    if (next) next.start()
    else queue.running--
  }
}

/** Waits until a finished hash passes its place on. */
async function waitForRoom(): Promise<void> {
  const { waiting } = queue
  if (waiting.length >= maxQueueLength) throw refuse('the queue of hashes is full')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = {
    start: resolve,
    giveUp: setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1)
      reject(refuse('waited too long for a hash'))
    }, maxWait)
  }
  waiting.push(entry)
  await promise.finally(() => clearTimeout(entry.giveUp))
}

function refuse(reason: string): Error {
  queue.refused++
  return overloaded(reason)
}

function observe(figure: Parameters<ObserveHash>[0], milliseconds: number): void {
  for (const observer of queue.observers) observer(figure, milliseconds / 1000)
}

/** Observes the hashes of the whole process; returns the function that ends this. */
export function observeHashes(observer: ObserveHash): () => void {
  queue.observers.add(observer)
  return () => void queue.observers.delete(observer)
}

/** Reads the figures of the queue, which is that of the whole process. */
export const readHashFigures = () => ({
  hashes_running: queue.running,
  hashes_waiting: queue.waiting.length,
  hashes_refused_total: queue.refused
})
