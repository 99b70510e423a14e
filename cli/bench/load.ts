import { createHistogram } from 'node:perf_hooks'
import type autocannon from 'autocannon'
import { importOptional } from '../../runtime/package/optional-package.ts'
import { UsageError } from '../../terminal/command.ts'

/** The measurements of a load test. */
export type LoadResult = Awaited<ReturnType<typeof runLoad>>

/** Runs {@link importAutocannon autocannon} once. */
export async function runLoad(start: typeof autocannon, options: autocannon.Options) {
  // autocannon's own histogram counts whole milliseconds.
  const microseconds = createHistogram()
  const { requests, throughput, duration, non2xx, errors } = await new Promise<autocannon.Result>(
    (resolve, reject) => {
      const running = start(options, (error, result) => (error ? reject(error) : resolve(result)))
      running.on('response', (_client, _status, _bytes, milliseconds) =>
        microseconds.record(Math.max(1, Math.round(milliseconds * 1000)))
      )
    }
  )
  return {
    seconds: duration,
    requests: requests.total,
    perSecond: requests.total / duration,
    bytesPerSecond: throughput.total / duration,
    // Milliseconds, with the resolution of microseconds.
    p50: microseconds.percentile(50) / 1000,
    p99: microseconds.percentile(99) / 1000,
    // Responses with another status than 2xx, broken connections and timeouts.
    errors: non2xx + errors
  }
}

/** Imports autocannon, which is optional, because it brings 58 packages. Throws UsageError if it is missing. */
export async function importAutocannon(): Promise<typeof autocannon> {
  const missing = () => new UsageError('bench needs the package autocannon: `npm install autocannon`')
  return (await importOptional(() => import('autocannon'), missing)).default
}
