import { availableParallelism } from 'node:os'
import { overloaded } from '../errors.ts'

/** Hashes at once: each takes a core and its whole memory, and one core is for everybody else. */
const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1))
/** Hashes that may wait, and for how many milliseconds. */
const longestQueue = 32
const longestWait = 2000

let running = 0
const waiting: { start: () => void; giveUp: NodeJS.Timeout }[] = []

/** Runs a hash when there is room for it. Rejects with `overloaded`, to be tried again in a second. */
export async function whenThereIsRoom<T>(hash: () => Promise<T>): Promise<T> {
  if (running < atOnce) running++
  else await place()
  try {
    return await hash()
  } finally {
    const next = waiting.shift()
    if (next) next.start()
    else running--
  }
}

/** A place in the queue: whoever ends hands its room on. */
function place(): Promise<void> {
  if (waiting.length >= longestQueue) throw overloaded('the queue of hashes is full')
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1)
      reject(overloaded('waited too long for a hash'))
    }, longestWait)
    const entry = {
      giveUp,
      start: () => {
        clearTimeout(giveUp)
        resolve()
      }
    }
    waiting.push(entry)
  })
}
