/**
 * `npm run bench:prepared` measures the savings of prepared statements on PostgreSQL. It prints the processor time of
 * the server's backends per request with and without them, as the median of the rounds. Linux only. `--requests
 * <count>` sets the requests per kind and round, `--rounds <count>` the rounds.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres/postgres.ts'
import { accessToken, refreshToken, tokenRequest } from './credentials.ts'
import { describeRun } from './report.ts'
import { runCommand, seedDatabase, startService } from './servers.ts'

const templates = 5000
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '3' } }
})
const requests = Number(values.requests)
const rounds = Number(values.rounds)

const server = await startPostgres()
const watcher = new pg.Client({ connectionString: server.url })
try {
  await watcher.connect()
  await seedDatabase(server.url, templates)
  await watcher.query('vacuum (analyze)')
  const id = 'bench'
  const grants = ['--grant', 'password', '--grant', 'refresh_token']
  const client = { id, secret: await runCommand(server.url, ['client', 'add', id, ...grants]) }
  const found = new Map<string, { true: number[]; false: number[] }>()
  for (let round = 0; round < rounds; round++)
    for (const setting of ['false', 'true'] as const)
      for (const [kind, seconds] of await measure(client, setting)) {
        if (!found.has(kind)) found.set(kind, { true: [], false: [] })
        found.get(kind)?.[setting].push(seconds)
      }
  console.log(`\`npm run bench:prepared\` on ${describeRun()}.\n\n| request | not prepared | prepared |`)
  console.log('| --- | --- | --- |')
  for (const [kind, { true: on, false: off }] of found)
    console.log(`| ${kind} | ${formatMedian(off)} | ${formatMedian(on)} |`)
} finally {
  await watcher.end()
  await server.stop()
}

/** Measures a service with this setting. Returns the processor seconds per request by kind. */
async function measure(client: { id: string; secret: string }, setting: string) {
  const env = {
    DATABASE_PREPARED_STATEMENTS: setting,
    GRAPHQL_COST_RATE: '0',
    GRAPHQL_RESPONSE_CACHE_SIZE: '0'
  }
  const service = await startService(server.url, [], { env })
  try {
    const { url } = service
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
      '`product(id, revision)`': read('query($id: Int!) { product(id: $id, revision: 1) { name data } }'),
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
    await service.stop()
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
    `select pid from pg_stat_activity where application_name = 'product-templates'`
  )
  const times = rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]))
  return times.reduce((sum, time) => sum + time, 0) / 1e9
}

function formatMedian(seconds: number[]): string {
  const median = seconds.toSorted((one, other) => one - other)[Math.floor(seconds.length / 2)] ?? Number.NaN
  return `${(median * 1000).toFixed(2)} ms`
}
