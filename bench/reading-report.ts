import { readFileSync, writeFileSync } from 'node:fs'
import type { Load } from './loading.ts'
import { describeRun } from './report.ts'

/** Requests per second, and latency in milliseconds. */
export interface Speed {
  perSecond: number
  p50: number
  p99: number
}

export interface Reading {
  command: string
  templates: number
  seconds: number
  connections: number
  /** By engine (and `before` for the older commit), then by kind of query. */
  speeds: Map<string, Map<string, Speed>>
  /** By engine: without and with the search index. */
  loads: Map<string, { bare: Load; indexed: Load }>
}

const page = new URL('reading.md', import.meta.url)

/** Formats a run as the section for its number of templates. */
export function formatSection(reading: Reading): string {
  const { command, templates, seconds, connections } = reading
  return `## ${templates.toLocaleString('en')} templates

\`${command}\` wrote this section on ${describeRun()}.
Templates of about 3 KB, ${connections} connections, ${seconds} s per row, load generator and PostgreSQL 18 (default settings) on the
same machine. A page has 50 templates; requests per second, then p50 and p99 in milliseconds.

${formatSpeeds(reading.speeds)}

${formatLoads(reading.loads)}
`
}

/** Replaces the section in bench/reading.md, or adds it. */
export function writeSection(section: string): void {
  const [title = ''] = section.split('\n')
  const [head = '', ...sections] = readFileSync(page, 'utf8').split(/^(?=## )/m)
  const others = sections.filter(text => !text.startsWith(`${title}\n`))
  const all = [...others, section].toSorted((one, other) => parseTitle(one) - parseTitle(other))
  writeFileSync(page, [head.trimEnd(), ...all.map(text => text.trimEnd())].join('\n\n').concat('\n'))
}

const parseTitle = (section: string): number =>
  Number(section.match(/^## ([\d,]+)/)?.[1]?.replaceAll(',', ''))

function formatSpeeds(speeds: Reading['speeds']): string {
  const columns = [...speeds.keys()]
  const kinds = [...new Set([...speeds.values()].flatMap(column => [...column.keys()]))]
  const rows = kinds.map(kind => {
    const cells = columns.map(column => {
      const speed = speeds.get(column)?.get(kind)
      return speed ? `${speed.perSecond} | ${speed.p50} | ${speed.p99}` : ' | | '
    })
    return `| ${kind} | ${cells.join(' | ')} |`
  })
  return [
    `| query | ${columns.map(name => `${name} | p50 | p99`).join(' | ')} |`,
    `| --- ${columns.map(() => '| --- | --- | --- ').join('')}|`,
    ...rows
  ].join('\n')
}

function formatLoads(loads: Reading['loads']): string {
  const megabytes = (bytes = 0) => `${(bytes / 1e6).toFixed(0)} MB`
  const total = ({ tables }: Load) => [...tables.values()].reduce((sum, bytes) => sum + bytes, 0)
  const rows = [...loads].flatMap(([engine, { bare, indexed }]) => [
    `| ${engine} | bare rows | ${bare.seconds.toFixed(1)} s | ${megabytes(total(bare))} | |`,
    `| ${engine} | with the index | ${indexed.seconds.toFixed(1)} s, ${(indexed.seconds / bare.seconds).toFixed(1)} times | ${megabytes(total(indexed))}, ${(total(indexed) / total(bare)).toFixed(2)} times | ${formatTables(indexed, megabytes)} |`
  ])
  return ['| engine | loaded | time | size | tables |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

function formatTables({ tables }: Load, megabytes: (bytes: number) => string): string {
  const large = [...tables].filter(([, bytes]) => bytes >= 500_000).sort(([, one], [, other]) => other - one)
  return large.map(([name, bytes]) => `\`${name}\` ${megabytes(bytes)}`).join(', ')
}
