import { cpus } from 'node:os'
import { kindTemplates } from './kinds.ts'
import type { Group, KindGroup, Results, Row, Spread } from './results.ts'

/** Returns the date, CPU and Node.js version of a measurement. */
export const describeRun = (): string =>
  `${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node.js ${process.version}`

/** Formats bench/README.md. */
export const formatPage = (results: Results): string => `# Measured

\`${results.command}\` wrote this page and [results.json](results.json) on ${results.date}:
${explainRun(results)}

![Requests per second by contender](results.svg)

The contenders are in [contenders/](contenders). All serve \`allProducts\`, about 3 KB of \`data\` per template, and each
answer is compared with that of product-templates. "Bytes ready" sends one buffer and reads no database. Mercurius
verifies a token of @fastify/jwt (ES256); GraphQL Yoga and Apollo Server ask for none. The three read all templates with
Kysely at each request. "New queries" never repeat a query text. The contenders are measured in turn. A value is the
median of the rounds; parentheses hold the least and the greatest.

| column | meaning |
| --- | --- |
| speed | requests per second, as a fraction of "Fastify, bytes ready" in the same round |
| speed per CPU | the same for requests per second of the server's processor time; it counts where the load generator is the bottleneck |
| p50, p99 | latency in milliseconds |
| CPU µs | processor time of the server per request, all its threads |
| MiB | resident memory of the server after the load |
| bytes | size of a response as it is sent |

${formatTables(results)}`

/** Formats the measurements for the page and the terminal. */
export const formatTables = (results: Results): string =>
  [
    ...results.groups.map(formatGroup),
    formatKinds(results),
    formatMixed(results),
    formatTokens(results),
    formatProcess(results)
  ]
    .filter(Boolean)
    .join('\n')

/** Describes the machine and the method. */
export function explainRun({ cpu, node, load, pinned, rounds, seconds }: Results): string {
  const program =
    load === 'wrk'
      ? 'wrk sends the requests, autocannon those with refresh tokens.'
      : 'autocannon sends the requests.'
  const where = pinned
    ? 'Server and load generator have a core each (`taskset`).'
    : 'Server and load generator share the cores (not pinned).'
  const times = rounds === 1 ? 'One round' : `${rounds} rounds`
  return `${cpu}, Node.js ${node}. ${times} of ${seconds} s per row.\n${program} ${where}\nThe logs go to files.`
}

const formatGroup = ({ templates, fields, connections, rows }: Group): string =>
  `## ${templates.toLocaleString('en')} templates, ${fields === 'nine' ? 'nine fields' : '`id name`'}

${connections} connections.

${formatComparison(rows)}`

const formatComparison = (rows: Row[]): string =>
  formatTable(['', 'speed', 'speed per CPU', 'req/s', 'p50', 'p99', 'CPU µs', 'MiB', 'bytes'], rows, row => [
    formatRange(row.speed),
    formatRange(row.cpuSpeed),
    ...formatRates(row),
    format(row.mebibytes),
    row.bytes?.toLocaleString('en') ?? ''
  ])

function formatKinds({ kinds = [] }: Results): string {
  if (kinds.length === 0) return ''
  return `## Same text, new variables

${kindTemplates.toLocaleString('en')} templates, nine fields. All requests of a kind have the same text, and no two have the same variables, so no answer
comes from a cache. Ratios are to Mercurius with jit on the same engine.

${kinds.map(formatKind).join('\n')}`
}

const formatKind = ({ title, connections, rows }: KindGroup): string =>
  `### \`${title}\`

${connections} connections.

${formatComparison(rows)}`

function formatMixed({ mixed = [] }: Results): string {
  if (mixed.length === 0) return ''
  return `## Small requests during large operations

${kindTemplates.toLocaleString('en')} templates, 250 small requests per second. Meanwhile another token sends large operations over four connections: all
templates, all facets, and the templates whose name contains two letters. No core is assigned to the service.
The last row is a server in a process of its own that only sends ready bytes. It waits for nothing but a processor.

${formatTable(['', 'p50', 'p99', 'large operations/s'], mixed, row => [
  formatRange(row.p50),
  formatRange(row.p99),
  formatRange(row.meanwhile)
])}`
}

function formatTokens({ tokens }: Results): string {
  if (tokens.length === 0) return ''
  return `## Tokens

POST /oauth/token by grant. A password grant verifies a password with argon2id; its speed is a fraction of what the machine
does without a server, at the same cost and with as many hashes at once. In these two rows no core is assigned: a server
leaves one free of hashes. A refresh writes to the database.

${formatTable(['', 'speed', 'req/s', 'p50', 'p99', 'CPU µs', 'MiB'], tokens, row => [
  formatRange(row.speed),
  ...formatRates(row),
  format(row.mebibytes)
])}`
}

const formatRates = ({ perSecond, p50, p99, cpu }: Row): string[] => [
  formatRange(perSecond),
  format(p50),
  format(p99),
  format(cpu)
]

function formatProcess({ start, storm }: Results): string {
  const started =
    start &&
    `The process starts on an empty database, seeds the demo data and listens in ${format(start.milliseconds)} ms. Its resident
memory is then ${format(start.mebibytes)} MiB.
`
  const answers = Object.entries(storm?.answers ?? {}).map(([status, count]) => `${count} × ${status}`)
  const stormed =
    storm &&
    `Under repeated bursts of 200 logins, the p99 of \`/graphql\` (4 connections, 11 templates, \`id name\`) goes from
${storm.idleP99} ms to ${storm.stormP99} ms. The logins by status: ${answers.join(', ')}. Each refused login has a \`Retry-After\`.
`
  return started || stormed ? ['## The process\n', started, stormed].filter(Boolean).join('\n') : ''
}

function formatTable(head: string[], rows: Row[], cells: (row: Row) => string[]): string {
  const name = ({ title, failed }: Row) =>
    failed === undefined ? title : `${title} (${failed} requests failed)`
  const lines = [head, head.map(() => '---'), ...rows.map(row => [name(row), ...cells(row)])]
  return lines.map(line => `| ${line.join(' | ')} |\n`).join('')
}

/** Formats the median with least and greatest. */
function formatRange(spread?: Spread): string {
  if (!spread) return ''
  const range = `${format(spread.min)}–${format(spread.max)}`
  return spread.min === spread.max ? format(spread) : `${format(spread)} (${range})`
}

/** Formats a number, or the median of several, with at least three digits. */
function format(value?: Spread | number): string {
  if (value === undefined) return ''
  const number = typeof value === 'number' ? value : value.median
  return number.toLocaleString(
    'en',
    number < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 }
  )
}
