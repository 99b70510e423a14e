/**
 * `npm run bench:reading` measures each kind of query with 100,000 templates on both engines and writes
 * bench/reading.md. With `--soak <count>` it reads that many pages instead and writes the memory before and after
 * to bench/soak.md.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import autocannon from 'autocannon'
import { startPostgres } from '../test/postgres.ts'
import { accessToken } from './credentials.ts'
import { kinds } from './reading-queries.ts'
import { describeRun } from './report.ts'
import { seedDatabase, startService } from './servers.ts'

const templates = 100_000
const connections = 2
const seconds = 3
const main = new URL('../dist/cli/main.js', import.meta.url).pathname

type Service = Awaited<ReturnType<typeof startService>>

async function headers({ url }: Service) {
  return { authorization: `Bearer ${await accessToken(url)}`, 'content-type': 'application/json' }
}

async function measure(service: Service, query: object) {
  const { latency, requests, non2xx, errors } = await autocannon({
    url: `${service.url}/graphql`,
    method: 'POST',
    headers: await headers(service),
    body: JSON.stringify(query),
    connections,
    duration: seconds
  })
  if (non2xx > 0 || errors > 0)
    throw new Error(`${non2xx} refused, ${errors} failed: ${JSON.stringify(query)}`)
  return `${Math.round(requests.mean)} | ${latency.p50} | ${latency.p99}`
}

/** Reads `count` pages, cycling through the kinds of query that take at most a few milliseconds. */
async function soak(service: Service, count: number): Promise<void> {
  const pages = Object.entries(kinds).filter(([name]) => !/facets|totalCount|contains/.test(name))
  await autocannon({
    url: `${service.url}/graphql`,
    method: 'POST',
    headers: await headers(service),
    connections: 4,
    amount: count,
    requests: pages.map(([, query]) => ({ body: JSON.stringify(query) }))
  })
}

const { values } = parseArgs({ options: { soak: { type: 'string' } } })
const folder = await mkdtemp(join(tmpdir(), 'product-templates-bench-'))
const server = await startPostgres()
try {
  const sqlite = await seedDatabase(folder, templates)
  await promisify(execFile)(process.execPath, [main, 'copy', '--from', sqlite, '--to', server.url])
  if (values.soak) reportSoak(Number(values.soak), await soakAll([sqlite, server.url], Number(values.soak)))
  else report(await measureAll([sqlite, server.url]))
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Makes a row per database: its memory after 1,000 pages and after `count` pages. */
async function soakAll(urls: string[], count: number): Promise<string[]> {
  const rows: string[] = []
  for (const url of urls) {
    const service = await startService(url)
    await soak(service, 1000)
    const before = service.mebibytes()
    await soak(service, count)
    const after = service.mebibytes()
    rows.push(
      `| ${url.split(':')[0]} | ${before.toFixed()} MiB | ${after.toFixed()} MiB | ${(after / before).toFixed(2)} |`
    )
    console.log(rows.at(-1))
    await service.stop()
  }
  return rows
}

/** Measures each kind of query on each database; returns the table cells by kind. */
async function measureAll(urls: string[]): Promise<Record<string, string[]>> {
  const columns: Record<string, string[]> = {}
  for (const url of urls) {
    const service = await startService(url)
    for (const [name, query] of Object.entries(kinds)) {
      const cells = columns[name] ?? []
      columns[name] = [...cells, await measure(service, query)]
      console.log(name, columns[name]?.at(-1))
    }
    await service.stop()
  }
  return columns
}

function reportSoak(count: number, rows: string[]): void {
  const text = `# Memory over many pages

\`npm run bench:reading -- --soak ${count}\` wrote this page on ${describeRun()}.
${templates.toLocaleString('en')} templates, pages of 50, cycling through all kinds in [reading.md](reading.md) except facets,
counts and \`contains\`. Resident memory of the service (\`VmRSS\`).

| | after 1,000 pages | after ${count.toLocaleString('en')} | factor |
| --- | --- | --- | --- |
${rows.join('\n')}
`
  writeFileSync(new URL('soak.md', import.meta.url), text)
}

function report(columns: Record<string, string[]>): void {
  const rows = Object.entries(columns).map(([name, cells]) => `| ${name} | ${cells.join(' | ')} |`)
  const text = `# Reading, measured

\`npm run bench:reading\` wrote this page on ${describeRun()}.
${templates.toLocaleString('en')} templates of about 3 KB, ${connections} connections, ${seconds} s per row. The load
generator and PostgreSQL 18 with default settings run on the same machine. A page has 50 templates; p50 and p99 in ms.

| query | SQLite req/s | p50 | p99 | PostgreSQL req/s | p50 | p99 |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
  writeFileSync(new URL('reading.md', import.meta.url), text)
}
