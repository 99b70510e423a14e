import { availableParallelism } from 'node:os'
import { overloaded } from '../errors.ts'
import type { Collection } from '../metrics/collection.ts'
import { Histogram } from '../metrics/histogram.ts'
import { inSpan } from '../tracing/active.ts'

/** Hashes waiting in the queue. */
const maxQueueLength = 32
/** Milliseconds in the queue. */
const maxWait = 2000
/** Bounds memory: each running hash takes 46 MiB by default. */
const maxConcurrentHashes = 4

/**
 * Returns how many hashes may run concurrently. Each takes a core and a thread of libuv's pool. One core stays free,
 * and half of the pool, which also reads files and resolves host names. `poolSize` is UV_THREADPOOL_SIZE; `processes`
 * that hash divide the cores.
 */
export function countConcurrentHashes(cores: number, poolSize = '4', processes = 1): number {
  const threads = Number.parseInt(poolSize, 10) || 1
  const ownCores = Math.floor(cores / processes)
  return Math.max(1, Math.min(maxConcurrentHashes, ownCores - 1, Math.floor(threads / 2)))
}

interface HashQueue {
  concurrency: number
  running: number
  waiting: { start: () => void; giveUp: NodeJS.Timeout }[]
  figures: { durations: Histogram; waits: Histogram; refused: number }
}

/** One queue per process: several copies of this package share its cores and threads. */
const name = Symbol.for('product-templates.hash-queue')
const shared = globalThis as { [name]?: HashQueue }
shared[name] ??= {
  concurrency: countOwn(1),
  running: 0,
  waiting: [],
  figures: { durations: new Histogram(), waits: new Histogram(), refused: 0 }
}
const queue = shared[name]

/** Leaves the other processes that hash on this machine their part of the cores. */
export function shareCores(processes: number): void {
  queue.concurrency = countOwn(processes)
}

function countOwn(processes: number): number {
  return countConcurrentHashes(availableParallelism(), process.env.UV_THREADPOOL_SIZE, processes)
}

/** Runs a hash as soon as there is room for it. Rejects with `overloaded` if the queue is full or the wait too long. */
export const whenThereIsRoom = <T>(hash: () => Promise<T>): Promise<T> =>
  inSpan('hash', {}, () => runInQueue(hash))

async function runInQueue<T>(hash: () => Promise<T>): Promise<T> {
  const { figures } = queue
  const since = performance.now()
  if (queue.running < queue.concurrency) queue.running++
  else await waitForRoom()
  const begun = performance.now()
  figures.waits.observe((begun - since) / 1000)
  try {
    return await hash()
  } finally {
    figures.durations.observe((performance.now() - begun) / 1000)
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
  queue.figures.refused++
  return overloaded(reason)
}

/** Adds the figures of the queue, which is that of the whole process. */
export function collectHashes(to: Collection): void {
  const { running, waiting, figures } = queue
  to.add('hashes_running', running)
  to.add('hashes_waiting', waiting.length)
  to.add('hashes_refused_total', figures.refused)
  to.addHistogram('hash_duration_seconds', figures.durations)
  to.addHistogram('hash_wait_seconds', figures.waits)
}
