import { readdir, readFile } from 'node:fs/promises'
import {
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance
} from 'node:perf_hooks'
import { promisify } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import fp from 'fastify-plugin'
import type { MetricValues } from '../../runtime/metrics/definitions.ts'
import { countResponses, type Metrics } from '../../runtime/metrics/metrics.ts'
import { readVersion } from '../../runtime/package/package-files.ts'
import { logOutput } from './log.ts'

/** Adds the metrics of the process and of its server, and counts requests for unknown paths. */
export const processMetrics = fp<{ metricsRegistry: Metrics }>(async (app, { metricsRegistry }) => {
  metricsRegistry.gauge('build_info').set({ version: readVersion(), node: process.version }, 1)
  metricsRegistry.onScrape(async () => ({
    http_connections: await promisify(app.server.getConnections.bind(app.server))()
  }))
  app.addHook('onClose', observeProcess(metricsRegistry))
  const countUnknown = countResponses(metricsRegistry, 'unknown')
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) countUnknown(request, reply, done)
    else done()
  })
})

/** Milliseconds between two samples of the event loop's delay. */
const resolution = 20
const percentiles = [50, 90, 99, 100]

/** Names of the kinds of garbage collection, `perf_hooks.constants`. */
const gcKinds: Record<number, string> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weak' }

/** Adds the metrics of the whole process. A host has such metrics itself. Returns the function that stops this. */
function observeProcess(metrics: Metrics): () => void {
  const pauses = metrics.histogram('gc_duration_seconds')
  for (const kind of Object.values(gcKinds)) pauses.zero({ kind })
  const observer = new PerformanceObserver(list => {
    for (const { detail, duration } of list.getEntries() as (PerformanceEntry & {
      detail: { kind: number }
    })[])
      pauses.observe({ kind: gcKinds[detail.kind] ?? '' }, duration / 1000)
  })
  observer.observe({ entryTypes: ['gc'] })
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const end = metrics.onScrape(async () => {
    const delays = percentiles.map(percentile => [percentile, toSeconds(delay.percentile(percentile))])
    delay.reset()
    return {
      ...readProcess(),
      event_loop_delay_seconds: Object.fromEntries(delays),
      ...(await readDescriptors().catch(() => ({})))
    }
  })
  return () => {
    end()
    delay.disable()
    observer.disconnect()
  }
}

/** Converts a delay to seconds, without the interval between samples. */
const toSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000)

function readProcess(): MetricValues {
  const { user, system } = process.cpuUsage()
  const { rss, external, heapUsed: used } = process.memoryUsage()
  return {
    process_cpu_seconds_total: { user: user / 1e6, system: system / 1e6 },
    process_start_time_seconds: performance.timeOrigin / 1000,
    log_lines_dropped_total: logOutput.dropped,
    event_loop_active_seconds_total: performance.eventLoopUtilization().active / 1000,
    process_resident_memory_bytes: rss,
    process_external_memory_bytes: external,
    process_heap_bytes: { used, allocated: getHeapStatistics().total_physical_size }
  }
}

/** Only Linux has files with these numbers. */
async function readDescriptors(): Promise<MetricValues> {
  const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')])
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return { process_open_fds: open.length, ...(limit && { process_max_fds: Number(limit) }) }
}
