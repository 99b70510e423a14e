/**
 * Preloaded into a service under test. At each SIGWINCH it writes a line to stderr: the longest turn of the event loop
 * and the growth of the memory since the last one.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** What happened between two signals. */
export interface Reading {
  /** Longest turn of the event loop, in milliseconds of CPU time of the main thread: other processes do not count. */
  turn: number
  /** Bytes of resident memory above those at the start, at the highest point. */
  memory: number
  /** CPU time of the whole process, in milliseconds. */
  cpu: number
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000
const threadTime = () => milliseconds(process.threadCpuUsage())
const { rss } = process.memoryUsage

function watch(): void {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as (options: object) => void
  let longest = 0
  let highest = rss()
  let base = highest
  let cpu = process.cpuUsage()
  let last = threadTime()

  const tick = () => {
    longest = Math.max(longest, threadTime() - last)
    highest = Math.max(highest, rss())
    last = threadTime()
  }
  const tickForever = () => {
    tick()
    setTimeout(tickForever, 1).unref()
  }
  process.on('SIGWINCH', () => {
    tick()
    const reading: Reading = {
      turn: longest,
      memory: highest - base,
      cpu: milliseconds(process.cpuUsage(cpu))
    }
    // What the work before has left behind would hide the memory of the next.
    collectGarbage({ type: 'major', flavor: 'last-resort' })
    longest = 0
    base = rss()
    highest = base
    cpu = process.cpuUsage()
    last = threadTime()
    process.stderr.write(`probe ${JSON.stringify(reading)}\n`)
  })
  tickForever()
}

if (isMainThread) watch()
