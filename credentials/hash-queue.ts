import { availableParallelism } from 'node:os'
import { overloaded } from '../errors.ts'

/** Hashes that may wait, and for how many milliseconds. */
const longestQueue = 32
const longestWait = 2000
/** Each hash takes its whole memory: 46 MiB by default. */
const mostAtOnce = 4

/**
 * How many hashes may run at once: each takes a core and a thread of libuv's pool. One core is for everybody else, and
 * so is half of the pool, where files and host names wait, too. `poolSize` is what libuv reads itself.
 */
export function hashesAtOnce(cores: number, poolSize = '4'): number {
  const threads = Number.parseInt(poolSize, 10) || 1
  return Math.max(1, Math.min(mostAtOnce, cores - 1, Math.floor(threads / 2)))
}

const atOnce = hashesAtOnce(availableParallelism(), process.env.UV_THREADPOOL_SIZE)

interface HashQueue {
  running: number
  waiting: { start: () => void; giveUp: NodeJS.Timeout }[]
}

/** One for the process: several copies of the package share its cores and threads. */
const name = Symbol.for('product-templates.hash-queue')
const shared = globalThis as { [name]?: HashQueue }
shared[name] ??= { running: 0, waiting: [] }
const queue = shared[name]

/** Runs a hash when there is room for it. Rejects with `overloaded`, to be tried again in a second. */
export async function whenThereIsRoom<T>(hash: () => Promise<T>): Promise<T> {
  if (queue.running < atOnce) queue.running++
  else await waitForRoom()
  try {
    return await hash()
  } finally {
    const next = queue.waiting.shift()
    if (next) next.start()
    else queue.running--
  }
}

/** Whoever ends hands its room on. */
async function waitForRoom(): Promise<void> {
  const { waiting } = queue
  if (waiting.length >= longestQueue) throw overloaded('the queue of hashes is full')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = {
    start: resolve,
    giveUp: setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1)
      reject(overloaded('waited too long for a hash'))
    }, longestWait)
  }
  waiting.push(entry)
  await promise.finally(() => clearTimeout(entry.giveUp))
}
