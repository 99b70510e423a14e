/**
 * `npm run bench:reading` measures each kind of query and the loading of templates on both engines, and prints the
 * results. `--templates <count>` sets the number of templates, `--engine <name>` selects one engine, and `--write`
 * updates bench/reading.md. `--before <checkout>` also measures a built checkout of another commit. `--soak <count>`
 * reads that many pages instead, and writes the memory before and after to bench/memory.md.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import autocannon from 'autocannon'
import { startPostgres } from '../test/support/postgres/postgres.ts'
import { accessToken } from './credentials.ts'
import { loadBare, loadIndexed } from './loading.ts'
import { soakEngines } from './memory.ts'
import { kinds } from './reading-queries.ts'
import { formatSection, type Reading, type Speed, writeSection } from './reading-report.ts'
import { startService } from './servers.ts'

const connections = 2
const { values } = parseArgs({
  options: {
    templates: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '3' },
    before: { type: 'string' },
    engine: { type: 'string' },
    soak: { type: 'string' },
    write: { type: 'boolean', default: false }
  }
})
const templates = Number(values.templates)
const seconds = Number(values.seconds)

if (!['SQLite', 'PostgreSQL', undefined].includes(values.engine))
  throw new Error('--engine is SQLite or PostgreSQL')

const folder = await mkdtemp(join(tmpdir(), 'product-templates-bench-'))
const server = await startPostgres()
const engines = new Map([
  ['SQLite', (name: string) => `sqlite:${join(folder, `${name}.db`)}`],
  ['PostgreSQL', (name: string) => server.url.replace(/[^/]*$/, name)]
])
try {
  for (const name of ['bare', 'indexed', 'before']) await createDatabase(name)
  if (values.soak) await soakEngines(engines, templates, Number(values.soak))
  else await measureEngines()
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function measureEngines(): Promise<void> {
  const reading: Reading = {
    command: `npm run bench:reading -- --templates ${templates}${values.before ? ' --before <23548ee>' : ''}${values.engine ? ` --engine ${values.engine}` : ''} --seconds ${seconds}`,
    templates,
    seconds,
    connections,
    speeds: new Map(),
    loads: new Map()
  }
  for (const [engine, url] of engines) {
    if (values.engine && values.engine !== engine) continue
    reading.loads.set(engine, {
      bare: await loadBare(url('bare'), templates),
      indexed: await loadIndexed(url('indexed'), templates)
    })
    const places: Place[] = [{ column: engine, url: url('indexed') }]
    if (values.before) {
      const main = join(values.before, 'dist/cli/main.js')
      const env = { ...process.env, DATABASE_URL: url('before') }
      await promisify(execFile)(process.execPath, [main, 'seed', '--load', String(templates)], { env })
      places.unshift({ column: `${engine} before`, url: url('before'), main })
    }
    for (const [column, speeds] of await measureKinds(places)) reading.speeds.set(column, speeds)
  }
  const section = formatSection(reading)
  console.log(section)
  if (values.write) writeSection(section)
}

/** A loaded database and the program that serves it; by default this checkout. */
interface Place {
  column: string
  url: string
  main?: string
}

/** Measures each kind of query at all places in turn, because the speed of the machine varies. */
async function measureKinds(places: Place[]): Promise<Map<string, Map<string, Speed>>> {
  const subjects = await Promise.all(
    places.map(async ({ column, url, main }) => {
      // All requests of a row are equal, so cached responses would distort the result.
      const service = await startService(url, [], { main, env: { GRAPHQL_RESPONSE_CACHE_SIZE: '0' } })
      return { column, service, isBefore: main !== undefined, speeds: new Map<string, Speed>() }
    })
  )
  for (const [kind, query] of Object.entries(kinds))
    for (const { column, service, isBefore, speeds } of subjects) {
      const speed = await measureKind(service.url, query)
      console.error(column, kind, speed)
      if (speed) speeds.set(kind, speed)
      // The older commit may fail; then its cell stays empty.
      else if (!isBefore) throw new Error(`a request failed: ${JSON.stringify(query)}`)
    }
  await Promise.all(subjects.map(({ service }) => service.stop()))
  return new Map(subjects.map(({ column, speeds }) => [column, speeds]))
}

/** Measures a query; undefined if a request failed. */
async function measureKind(url: string, query: object): Promise<Speed | undefined> {
  const request = {
    method: 'POST' as const,
    headers: { authorization: `Bearer ${await accessToken(url)}`, 'content-type': 'application/json' },
    body: JSON.stringify(query)
  }
  const address = `${url}/graphql`
  const { latency, requests, non2xx, errors } = await autocannon({
    url: address,
    ...request,
    connections,
    duration: seconds
  })
  if (non2xx > 0 || errors > 0) return undefined
  // The query takes longer than the measurement.
  if (requests.total === 0) return measureOne(address, request)
  return { perSecond: Math.round(requests.mean), p50: latency.p50, p99: latency.p99 }
}

async function measureOne(address: string, request: RequestInit): Promise<Speed | undefined> {
  const begin = performance.now()
  const response = await fetch(address, request)
  await response.bytes()
  const milliseconds = Math.round(performance.now() - begin)
  if (response.status !== 200) return undefined
  return { perSecond: Math.round(10_000 / milliseconds) / 10, p50: milliseconds, p99: milliseconds }
}

/** Creates a PostgreSQL database. SQLite creates its file when it is opened. */
async function createDatabase(name: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
}
