/**
 * Measures each kind of reading on 100,000 templates, on both engines, and writes the table to
 * bench/reading.md: `npm run bench:reading`. With `--soak <count>` it asks so many pages instead, and tells
 * the memory before and after.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import autocannon from 'autocannon'
import { startPostgres } from '../test/postgres.ts'
import { accessToken } from './credentials.ts'
import { kinds } from './reading-queries.ts'
import { seeded, startService } from './servers.ts'

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

/** So many pages, of every kind that takes no more than a few milliseconds in turn. */
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
  const sqlite = await seeded(folder, templates)
  await promisify(execFile)(process.execPath, [main, 'copy', '--from', sqlite, '--to', server.url])
  const columns: Record<string, string[]> = {}
  for (const url of [sqlite, server.url]) {
    const service = await startService(url)
    if (values.soak) {
      await soak(service, 1000)
      const before = service.mebibytes()
      await soak(service, Number(values.soak))
      const after = service.mebibytes()
      console.log(
        `${url.split(':')[0]}: ${before.toFixed()} MiB after 1,000 pages, ${after.toFixed()} MiB after ${values.soak}: ${(after / before).toFixed(2)} times`
      )
    } else {
      for (const [name, query] of Object.entries(kinds)) {
        const cells = columns[name] ?? []
        columns[name] = [...cells, await measure(service, query)]
        console.log(name, columns[name]?.at(-1))
      }
    }
    await service.stop()
  }
  if (!values.soak) report(columns)
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

function report(columns: Record<string, string[]>): void {
  const rows = Object.entries(columns).map(([name, cells]) => `| ${name} | ${cells.join(' | ')} |`)
  const text = `# Reading, measured

\`npm run bench:reading\` wrote this page on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model},
Node.js ${process.version}, ${templates.toLocaleString('en')} templates of about 3 KB, ${connections} connections, ${seconds} s a row, the
load and PostgreSQL 18 (its default settings) on the same machine. A page has 50 templates; milliseconds.

| query | SQLite req/s | p50 | p99 | PostgreSQL req/s | p50 | p99 |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
  writeFileSync(new URL('reading.md', import.meta.url), text)
}
