import { readFileSync, writeFileSync } from 'node:fs'
import type { Sample, Subject } from './subject.ts'

/** The spread over the rounds. */
export interface Spread {
  median: number
  min: number
  max: number
}

/** The measurements of a subject. Values that could not be measured are absent. */
export interface Row {
  name: string
  title: string
  bytes?: number
  /** Requests per second as a fraction of the baseline's in the same round. */
  speed?: Spread
  /** The same for requests per second of processor time. */
  cpuSpeed?: Spread
  perSecond?: Spread
  /** Milliseconds. */
  p50?: Spread
  p99?: Spread
  /** The server's processor time per request, in microseconds. */
  cpu?: Spread
  mebibytes?: Spread
  /** Failed requests of all rounds; absent if there are none. */
  failed?: number
  /** Operations per second of what ran meanwhile. */
  meanwhile?: Spread
}

export interface Group {
  templates: number
  fields: 'nine' | 'two'
  /** The size of the response of `fastify`. */
  bytes: number
  connections: number
  rows: Row[]
}

/** The contenders by requests of the same text with new variables. */
export interface KindGroup {
  name: string
  /** The query in short. */
  title: string
  connections: number
  rows: Row[]
}

export interface Results {
  date: string
  cpu: string
  node: string
  command: string
  /** Whether server and load generator each had their own core. */
  pinned: boolean
  load: 'autocannon' | 'wrk'
  rounds: number
  /** Seconds per measurement. */
  seconds: number
  groups: Group[]
  kinds?: KindGroup[]
  mixed?: Row[]
  tokens: Row[]
  start?: { milliseconds: number; mebibytes: number }
  storm?: { idleP99: number; stormP99: number; answers: Record<string, number> }
}

const file = new URL('results.json', import.meta.url)

export const readResults = (): Results => JSON.parse(readFileSync(file, 'utf8'))

/** Writes the results with one spread per line. */
export function writeResults(results: Results): void {
  const text = JSON.stringify(results, null, 2).replace(
    /\{\s+("median": [^}]*?)\s+\}/g,
    (_, spread) => `{ ${spread.replaceAll(/\s+/g, ' ')} }`
  )
  writeFileSync(file, `${text}\n`)
}

/** Summarises the samples of a subject, compared with its baseline in the same rounds. */
export function summarise(
  { name, title }: Subject,
  samples: Sample[],
  compared?: Sample[],
  bytes?: number
): Row {
  const ratios = (pick: (own: Sample, other: Sample) => number) =>
    compared && spread(samples.map((sample, round) => pick(sample, compared[round] as Sample)))
  const row: { [Key in keyof Row]: Row[Key] | undefined } = {
    name,
    title,
    bytes,
    speed: ratios((own, other) => own.perSecond / other.perSecond),
    cpuSpeed: ratios((own, other) => other.cpu / own.cpu),
    perSecond: spread(samples.map(({ perSecond }) => perSecond)),
    p50: spread(samples.map(({ p50 }) => p50)),
    p99: spread(samples.map(({ p99 }) => p99)),
    cpu: spread(samples.map(({ cpu }) => cpu)),
    mebibytes: spread(samples.map(({ mebibytes }) => mebibytes)),
    meanwhile: spread(samples.map(({ meanwhile = Number.NaN }) => meanwhile)),
    failed: samples.reduce((sum, { failed = 0 }) => sum + failed, 0) || undefined
  }
  return JSON.parse(JSON.stringify(row))
}

/** Returns the median, least and greatest value with four digits; undefined if a value is not a number. */
function spread(values: number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  if (sorted.length === 0 || !sorted.every(Number.isFinite)) return undefined
  const at = (place: number) => sorted[place] as number
  const middle = (sorted.length - 1) / 2
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
  const round = (value: number) => Number(value.toPrecision(4))
  return { median: round(median), min: round(at(0)), max: round(at(sorted.length - 1)) }
}
