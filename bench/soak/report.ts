import { describeRun } from '../report.ts'
import { type Contents, type Sample, slopePerHour } from './watch.ts'

/** The measurements of a run. */
export interface Run {
  minutes: number
  samples: Sample[]
  cpuSeconds: number
  errors: string[]
  /** Acknowledged writes. */
  writes: number
  /** The contents in the middle and at the end; `sent` is the number of requests so far. */
  before: Contents & { sent: number }
  after: Contents & { sent: number }
  /**
   * Numbers of writes: the last one acknowledged before the backup, the last one sent when it was complete, and the
   * last one in it.
   */
  backup: { before: number; after: number; last: number }
}

/** The maximum growth in the second half of a run. Caches fill, and the heap size varies. */
const maxGrowth = { mebibytes: 0.1, handles: 5, restBytes: 2 ** 20 }

/** The second half of a run, because the first fills the caches. */
const secondHalf = ({ samples }: Run): Sample[] => samples.slice(samples.length / 2)

const mean = (samples: Sample[], value: (sample: Sample) => number): number =>
  samples.reduce((sum, sample) => sum + value(sample), 0) / samples.length

/** Returns the growth from the third to the last quarter. */
function growth(run: Run, value: (sample: Sample) => number): number {
  const half = secondHalf(run)
  const middle = half.length / 2
  return mean(half.slice(middle), value) - mean(half.slice(0, middle), value)
}

/** Returns the failed checks. */
export function judge(run: Run): string[] {
  const memory = growth(run, sample => sample.mebibytes)
  const handles = growth(run, sample => sample.handles)
  const rest = run.after.rest - run.before.rest
  return [
    ...run.errors.slice(0, 10),
    ...(run.errors.length > 10 ? [`and ${run.errors.length - 10} more errors`] : []),
    ...(memory > maxGrowth.mebibytes * mean(secondHalf(run), sample => sample.mebibytes)
      ? [`the memory grows by ${memory.toFixed(1)} MiB in a quarter of the run`]
      : []),
    ...(handles > maxGrowth.handles ? [`${handles.toFixed(1)} handles more in the last quarter`] : []),
    ...(rest > maxGrowth.restBytes ? [`the file grows by ${rest} bytes besides the history`] : [])
  ]
}

export function formatReport(run: Run): string {
  const half = secondHalf(run)
  const row = (name: string, unit: string, value: (sample: Sample) => number) => {
    const numbers = half.map(value)
    const cells = [
      value(run.samples[0] as Sample),
      Math.min(...numbers),
      mean(half, value),
      Math.max(...numbers)
    ]
    const slope = slopePerHour(half, value)
    return `| ${name} | ${cells.map(cell => cell.toFixed(1)).join(' | ')} | ${slope.toFixed(1)} ${unit}/h |`
  }
  const { before, after, backup } = run
  const revisions = after.revisions - before.revisions
  const requests = after.sent
  return `# Mixed load over time

\`npm run bench:soak -- --minutes ${run.minutes}\` wrote this page on ${describeRun()}.
${requests.toLocaleString('en')} requests in ${run.minutes} minutes, as many as in two hours at ${Math.round(requests / 7200)} per second: cached and
uncached queries, metadata, logins, refreshes, revocations, streams of changes, refused and abandoned requests, and
${run.writes.toLocaleString('en')} writes. One process, SQLite, 1,000 templates, at most 16 MiB of cached
responses, which are full before the middle; ${run.cpuSeconds.toFixed()} s of processor time. Errors: ${run.errors.length}.

| second half | at the start | least | mean | most | slope |
| --- | --- | --- | --- | --- | --- |
${row('resident memory, MiB', 'MiB', ({ mebibytes }) => mebibytes)}
${row('open files and sockets', '', ({ handles }) => handles)}
${row('database and WAL, MiB', 'MiB', ({ fileMebibytes }) => fileMebibytes)}

The file keeps every revision: in the second half ${revisions.toLocaleString('en')} revisions took ${(after.history - before.history).toLocaleString('en')} bytes, ${((after.history - before.history) / revisions).toFixed()} each. Everything
else in it grew by ${(after.rest - before.rest).toLocaleString('en')} bytes.

A backup taken in the middle, restored beside, is the store after write ${backup.last}; ${backup.before} was the last one acknowledged
before the backup began, ${backup.after} the last one sent when it was complete.
`
}
