import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

import type { Storm } from './storm.ts'

export interface Row {
  what: string
  /** Of one answer. */
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

/** Prints the tables and keeps them in bench/README.md. */
export function report(measured: Measured): void {
  const text = page(measured)
  writeFileSync(new URL('README.md', import.meta.url), text)
  console.log(text)
}

/** When and on what a page was measured. */
export const occasion = (): string =>
  `${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node.js ${process.version}`

function page({ seconds, connections, rows, idle, storm }: Measured): string {
  const lines = rows.map(({ what, bytes, perSecond, p50, p99, best }) => {
    const share = best === undefined ? '' : `${((100 * perSecond) / best).toFixed(1)} %`
    return `| ${what} | ${bytes ?? ''} | ${perSecond.toFixed(0)} | ${p50} | ${p99} | ${best?.toFixed(0) ?? ''} | ${share} |`
  })
  const told = Object.entries(storm.answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
  return `# Measured

\`npm run bench\` wrote this page on ${occasion()}, ${connections} connections,
${seconds} s a row, server and load on the same machine. "bare" is node:http with the same bytes ready in a buffer, in
the same run: no server in JavaScript answers faster, so the share says how much room is left.

| request | bytes | req/s | p50 ms | p99 ms | bare req/s | share |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}

The process, from its start on an empty database to the line that says it listens, demo data included:
${idle.milliseconds.toFixed(0)} ms. Its resident memory then (\`VmRSS\` of \`/proc/<pid>/status\`): ${idle.mebibytes.toFixed(0)} MiB.

While 200 logins at once come again and again, the p99 of \`/graphql\` (4 connections, 11 templates, \`id name\`) goes from
${storm.idleP99} ms to ${storm.stormP99} ms, ${(storm.stormP99 / storm.idleP99).toFixed(1)} times. The logins by status: ${told}; each refused one says when to try again.
`
}
