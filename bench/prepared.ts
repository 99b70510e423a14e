/**
 * `npm run bench:prepared` measures the savings of prepared statements on PostgreSQL. It prints the processor time of
 * the server's backends per request with and without them, as the median of the rounds. Without them, the service uses
 * a host's own Kysely instance, which prepares none. Linux only. `--requests <count>` sets the requests per kind and
 * round, `--rounds <count>` the rounds.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { AnyDb } from '../db/schema.ts'
import { postgresTypes, productTemplates } from '../index.ts'
import { startPostgres } from '../test/support/postgres/postgres.ts'
import { accessToken, refreshToken, tokenRequest } from './credentials.ts'
import { describeRun } from './report.ts'
import { runCommand, seedDatabase } from './servers.ts'

const templates = 5000
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '3' } }
})
const requests = Number(values.requests)
const rounds = Number(values.rounds)

/** The name of the service's connections. */
const application = 'product-templates'

const server = await startPostgres()
const watcher = new pg.Client({ connectionString: server.url })
try {
  await watcher.connect()
  await seedDatabase(server.url, templates)
  await watcher.query('vacuum (analyze)')
  const id = 'bench'
  const grants = ['--grant', 'password', '--grant', 'refresh_token']
  const client = { id, secret: await runCommand(server.url, ['client', 'add', id, ...grants]) }
  const found = new Map<string, { on: number[]; off: number[] }>()
  for (let round = 0; round < rounds; round++)
    for (const mode of ['off', 'on'] as const)
      for (const [kind, seconds] of await measure(client, mode)) {
        if (!found.has(kind)) found.set(kind, { on: [], off: [] })
        found.get(kind)?.[mode].push(seconds)
      }
  console.log(`\`npm run bench:prepared\` on ${describeRun()}.\n\n| request | not prepared | prepared |`)
  console.log('| --- | --- | --- |')
  for (const [kind, { on, off }] of found)
    console.log(`| ${kind} | ${formatMedian(off)} | ${formatMedian(on)} |`)
} finally {
  await watcher.end()
  await server.stop()
}

/** Opens a Kysely instance like a host, with the pool size of the service. */
function openHostDatabase(): AnyDb {
  const options = { connectionString: server.url, application_name: application, types: postgresTypes }
  return new Kysely<never>({ dialect: new PostgresDialect({ pool: new pg.Pool(options) }) })
}

/** Measures the service with or without prepared statements. Returns the processor seconds per request by kind. */
async function measure(client: { id: string; secret: string }, mode: 'on' | 'off') {
  const app = Fastify()
  const db = mode === 'off' ? openHostDatabase() : undefined
  const limits = { addressLimit: 0, clientLimit: 0, graphqlResponseCacheSize: 0 }
  await app.register(productTemplates, { ...(db ? { db } : { database: server.url }), ...limits })
  try {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const authorization = `Bearer ${await accessToken(url)}`
    const introspection = tokenRequest(client, { token: await refreshToken(url, client) })
    const graphql = (body: object) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body)
      })
    const read = (query: string) => (number: number) =>
      graphql({ query, variables: { id: 1 + (number % templates) } })
    const kinds: Record<string, (number: number) => Promise<Response>> = {
      'introspection of a refresh token': () =>
        fetch(`${url}/oauth/introspect`, { method: 'POST', ...introspection }),
      '`product(id)`': read('query($id: Int!) { product(id: $id) { name data } }'),
      '`productRevision`': read(
        'query($id: Int!) { productRevision(id: $id, number: 1) { contents { name data } } }'
      ),
      '`updateProduct`': number =>
        graphql({
          query: `mutation($id: Int!) { updateProduct(id: $id, input: { name: "${Math.random()}" }) { product { id } } }`,
          variables: { id: 1 + (number % templates) }
        })
    }
    const costs: [string, number][] = []
    for (const [kind, send] of Object.entries(kinds)) costs.push([kind, await measureKind(kind, send)])
    return costs
  } finally {
    await app.close()
    await db?.destroy()
  }
}

async function measureKind(kind: string, send: (number: number) => Promise<Response>): Promise<number> {
  const sendMany = async (count: number) => {
    for (let number = 0; number < count; number++) {
      const response = await send(number)
      const text = await response.text()
      if (response.status !== 200 || /"errors"/.test(text)) throw new Error(`${kind}: ${text}`)
    }
  }
  await sendMany(100)
  const before = await backendSeconds()
  await sendMany(requests)
  return ((await backendSeconds()) - before) / requests
}

/** Returns the processor time of the service's backends. The scheduler counts it in nanoseconds. */
async function backendSeconds(): Promise<number> {
  const { rows } = await watcher.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = '${application}'`
  )
  const times = rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]))
  return times.reduce((sum, time) => sum + time, 0) / 1e9
}

function formatMedian(seconds: number[]): string {
  const median = seconds.toSorted((one, other) => one - other)[Math.floor(seconds.length / 2)] ?? Number.NaN
  return `${(median * 1000).toFixed(2)} ms`
}
