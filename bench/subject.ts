import type { LoadResult } from '../cli/bench/load.ts'
import { type Cores, findCores } from './cores.ts'
import { type LoadOptions, type LoadProgram, runLoad } from './load.ts'
import type { ServerProcess } from './server-process.ts'

export const cores: Cores | undefined = findCores()

/** A subject of a comparison. */
export interface Subject {
  name: string
  title: string
  /** The name of the subject to compare with. */
  baseline?: string
  start(): Promise<Started>
}

export interface Started {
  measure(seconds: number): Promise<Sample>
  /** Returns the transferred size of a response. */
  countBytes?(): Promise<number>
  stop(): Promise<void>
}

/** A measurement. Values that could not be measured are NaN. */
export interface Sample extends Pick<LoadResult, 'perSecond' | 'p50' | 'p99'> {
  /** The server's processor time per request, in microseconds. */
  cpu: number
  mebibytes: number
  /** Failed requests. Rates and processor time count only successful requests. */
  failed?: number
  /** Operations per second of what ran meanwhile. */
  meanwhile?: number
}

/** The minimum number of responses per connection: requests cut off at the end also take processor time. */
const leastResponses = 4
/** The maximum seconds of a measurement. */
const longest = 60

/** Loads a server and measures it. Repeats with twice the time if the server is too slow. */
export async function measureServer(
  server: ServerProcess,
  options: LoadOptions,
  program?: LoadProgram
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
