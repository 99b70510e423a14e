import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

import type { Storm } from './storm.ts'

export interface Row {
  what: string
  /** Size of one response. */
  bytes?: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Requests per second of the bare server with the same bytes. */
  best?: number
}

export interface Measured {
  seconds: number
  connections: number
  rows: Row[]
  idle: { milliseconds: number; mebibytes: number }
  storm: Storm
}

/** Prints the report and writes it to bench/README.md. */
export function report(measured: Measured): void {
  const text = formatPage(measured)
  writeFileSync(new URL('README.md', import.meta.url), text)
  console.log(text)
}

/** Date, CPU and Node.js version of a measurement. */
export const describeRun = (): string =>
  `${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node.js ${process.version}`

function formatPage({ seconds, connections, rows, idle, storm }: Measured): string {
  const lines = rows.map(({ what, bytes, perSecond, p50, p99, best }) => {
    const share = best === undefined ? '' : `${((100 * perSecond) / best).toFixed(1)} %`
    return `| ${what} | ${bytes ?? ''} | ${perSecond.toFixed(0)} | ${p50} | ${p99} | ${best?.toFixed(0) ?? ''} | ${share} |`
  })
  const told = Object.entries(storm.answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
  return `# Measured

\`npm run bench\` wrote this page on ${describeRun()}, ${connections} connections,
${seconds} s per row, server and load generator on the same machine. "bare" is node:http sending the same bytes from a
buffer, in the same run. No JavaScript server responds faster, so "share" is the fraction of the possible throughput.

| request | bytes | req/s | p50 ms | p99 ms | bare req/s | share |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}

The process starts on an empty database, seeds the demo data and listens in ${idle.milliseconds.toFixed(0)} ms. Its resident memory is then
${idle.mebibytes.toFixed(0)} MiB (\`VmRSS\` in \`/proc/<pid>/status\`).

Under repeated bursts of 200 logins, the p99 of \`/graphql\` (4 connections, 11 templates, \`id name\`) rises from
${storm.idleP99} ms to ${storm.stormP99} ms, by a factor of ${(storm.stormP99 / storm.idleP99).toFixed(1)}. The logins by status: ${told}. Each refused login has a \`Retry-After\`.
`
}
