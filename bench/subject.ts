import type { LoadResult } from '../cli/bench/load.ts'
import { type Cores, findCores } from './cores.ts'
import { type LoadOptions, runLoad } from './load.ts'
import type { ServerProcess } from './server-process.ts'

export const cores: Cores | undefined = findCores()

/** What is measured in turn with others. */
export interface Subject {
  name: string
  title: string
  /** Name of the subject that it is compared with. */
  baseline?: string
  start(): Promise<Started>
}

export interface Started {
  measure(seconds: number): Promise<Sample>
  /** Size of a response as it is sent. */
  countBytes?(): Promise<number>
  stop(): Promise<void>
}

/** One measurement; what cannot be measured is NaN. */
export interface Sample extends Pick<LoadResult, 'perSecond' | 'p50' | 'p99'> {
  /** Processor time of the server per request, in microseconds. */
  cpu: number
  mebibytes: number
  /** Requests that failed. Rates and processor time are per request that did not. */
  failed?: number
}

/** Responses per connection that a measurement needs: the requests that its end cuts off take processor time, too. */
const leastResponses = 4
/** Seconds after which a measurement is not repeated. */
const longest = 60

/** Loads a server, and measures what it takes; a server that is too slow for the time gets twice as long. */
export async function measureServer(
  server: ServerProcess,
  options: LoadOptions,
  program?: 'autocannon' | 'wrk'
): Promise<Sample> {
  const before = server.cpuSeconds()
  const load = await runLoad(options, { core: cores?.load, program })
  const { connections, seconds, refreshTokens } = options
  const canRepeat = seconds < longest && refreshTokens === undefined
  if (canRepeat && load.requests < leastResponses * connections)
    return measureServer(server, { ...options, seconds: 2 * seconds }, program)
  const complete = load.requests - load.errors
  if (complete <= 0) throw new Error(`no request to ${options.url} succeeded: ${load.errors} failed`)
  return {
    perSecond: complete / load.seconds,
    p50: load.p50,
    p99: load.p99,
    cpu: ((server.cpuSeconds() - before) * 1e6) / complete,
    mebibytes: server.mebibytes(),
    failed: load.errors
  }
}
