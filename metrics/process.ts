import { readdir, readFile } from 'node:fs/promises'
import {
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance
} from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Collection } from './collection.ts'
import { Histogram, pauseBounds } from './histogram.ts'

/** Milliseconds between looks at the delay of the event loop. */
const resolution = 20
const percentiles = [50, 90, 99]

/** Names of the kinds of garbage collection, `perf_hooks.constants`. */
const gcKinds: Record<number, string> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weak' }

/** Figures of the whole process, which a host has already. `close()` ends what it observes. */
export class ProcessFigures {
  readonly #delay = monitorEventLoopDelay({ resolution })
  readonly #pauses = new Map(Object.values(gcKinds).map(kind => [kind, new Histogram(pauseBounds)]))
  readonly #observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]) {
      const kind = gcKinds[entry.detail?.kind ?? 0] ?? ''
      this.#pauses.get(kind)?.observe(entry.duration / 1000)
    }
  })

  constructor() {
    this.#delay.enable()
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  close(): void {
    this.#delay.disable()
    this.#observer.disconnect()
  }

  async collect(to: Collection): Promise<void> {
    const { user, system } = process.cpuUsage()
    to.add('process_cpu_seconds_total', user / 1e6, { mode: 'user' })
    to.add('process_cpu_seconds_total', system / 1e6, { mode: 'system' })
    to.add('process_start_time_seconds', performance.timeOrigin / 1000)
    to.add('event_loop_active_seconds_total', performance.eventLoopUtilization().active / 1000)
    collectMemory(to)
    this.#collectDelays(to)
    for (const [kind, pauses] of this.#pauses) to.addHistogram('gc_duration_seconds', pauses, { kind })
    for (const [type, count] of countHandles()) to.add('process_handles', count, { type })
    await collectDescriptors(to)
  }

  #collectDelays(to: Collection): void {
    const { max, min } = this.#delay
    const seconds = (nanoseconds: number) =>
      min > max ? 0 : Math.max(0, nanoseconds / 1e9 - resolution / 1000)
    for (const percentile of percentiles)
      to.add('event_loop_delay_seconds', seconds(this.#delay.percentile(percentile)), { percentile })
    to.add('event_loop_delay_seconds', seconds(max), { percentile: 100 })
    this.#delay.reset()
  }
}

function collectMemory(to: Collection): void {
  const { rss, external, heapUsed } = process.memoryUsage()
  to.add('process_resident_memory_bytes', rss)
  to.add('process_external_memory_bytes', external)
  to.add('process_heap_bytes', heapUsed, { state: 'used' })
  to.add('process_heap_bytes', getHeapStatistics().total_physical_size, { state: 'allocated' })
}

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

/** Only Linux tells them in files. */
async function collectDescriptors(to: Collection): Promise<void> {
  const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')])
  to.add('process_open_fds', open.length)
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  if (limit) to.add('process_max_fds', Number(limit))
}
