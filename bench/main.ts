/** `npm run bench` measures the service on this machine and writes bench/README.md. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { accessToken, tokenLoad } from './credentials.ts'
import { type Row, report } from './report.ts'
import { seedDatabase, startReference, startService } from './servers.ts'
import { storm } from './storm.ts'

const seconds = 5
const connections = 16
const query =
  'query { allProducts { id blockchainId maxItems name publicProduct componentName timeCreated timeModified data } }'
const body = JSON.stringify({ query, variables: {} })

async function load(options: autocannon.Options): Promise<{ perSecond: number; p50: number; p99: number }> {
  const result = await autocannon({ connections, duration: seconds, method: 'POST', ...options })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  return { perSecond: result.requests.mean, p50: result.latency.p50, p99: result.latency.p99 }
}

/** Measures `allProducts` with `count` templates, and a bare server that sends the same bytes. */
async function measureAllProducts(folder: string, count: number): Promise<Row> {
  const service = await startService(await seedDatabase(folder, count))
  const headers = {
    authorization: `Bearer ${await accessToken(service.url)}`,
    'content-type': 'application/json'
  }
  const answer = await (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).text()
  const measured = await load({ url: `${service.url}/graphql`, headers, body })
  await service.stop()
  const reference = await startReference(answer)
  const best = await load({ url: reference.url, headers, body })
  await reference.stop()
  return { what: `allProducts, ${count} templates`, bytes: answer.length, ...measured, best: best.perSecond }
}

async function measureTokens(folder: string): Promise<Row> {
  const service = await startService(await seedDatabase(folder, 1))
  const measured = await load({ url: `${service.url}/oauth/token`, ...tokenLoad })
  await service.stop()
  return { what: 'token, password grant', ...measured }
}

const folder = await mkdtemp(join(tmpdir(), 'product-templates-bench-'))
try {
  const start = await startService(`sqlite:${join(folder, 'start.db')}`, ['--demo'])
  const idle = { milliseconds: start.milliseconds, mebibytes: start.mebibytes() }
  await start.stop()
  const rows: Row[] = []
  for (const count of [10, 100, 1000]) rows.push(await measureAllProducts(folder, count))
  rows.push(await measureTokens(folder))
  report({ seconds, connections, rows, idle, storm: await storm(await seedDatabase(folder, 11)) })
} finally {
  await rm(folder, { recursive: true, force: true })
}
