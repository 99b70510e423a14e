/**
 * `npm run bench:flood` sends 100,000 different queries to a service. It prints the memory after 1,000 and after all of
 * them, and the latency of a cached response before and during the flood. `--requests <count>` sets the number. `--load
 * wrk` sends them with wrk, because two autocannons on one core slow each other down.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accessToken } from './credentials.ts'
import { numberPlace, runLoad } from './load.ts'
import { describeRun } from './report.ts'
import { seedDatabase, startService } from './servers.ts'
import { cores } from './subject.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    load: { type: 'string', default: 'autocannon' }
  }
})
const requests = Number(values.requests)
const program = values.load
if (program !== 'wrk' && program !== 'autocannon') throw new Error('--load takes autocannon or wrk')
/** The duration of a part of the flood, and of a latency measurement. */
const seconds = 5
const connections = 2

const folder = await mkdtemp(join(tmpdir(), 'product-templates-flood-'))
const database = `sqlite:${join(folder, 'flood.db')}`
await seedDatabase(database, 100)
const service = await startService(database, [], { core: cores?.server })
try {
  const target = {
    url: `${service.url}/graphql`,
    headers: {
      authorization: `Bearer ${await accessToken(service.url)}`,
      'content-type': 'application/json'
    },
    connections
  }
  const hot = {
    ...target,
    body: JSON.stringify({ query: '{ allProducts(limit: 10) { id name data } }' }),
    seconds
  }
  const flood = {
    ...target,
    body: JSON.stringify({ query: `query Q${numberPlace} { allProducts(limit: 10) { id name data } }` }),
    varied: true
  }
  const load = (options: typeof hot & { varied?: boolean }) =>
    runLoad(options, { core: cores?.load, program })
  await load(hot)
  const before = await load(hot)
  const first = await load({ ...flood, seconds: 1 })
  const memory = { before: service.mebibytes(), after: 0 }
  let sent = first.requests
  const during: number[] = []
  while (sent < requests) {
    const [cached, others] = await Promise.all([load(hot), load({ ...flood, seconds })])
    if (cached.errors + others.errors > 0) throw new Error('requests failed')
    sent += others.requests
    during.push(cached.p99)
  }
  memory.after = service.mebibytes()
  during.sort((one, other) => one - other)
  const p99 = during[during.length >> 1] ?? Number.NaN
  const ratio = (value: number, base: number) => (value / base).toFixed(2)
  console.log(`\`npm run bench:flood -- --load ${program}\` on ${describeRun()}, ${sent} different questions.

| | before | after or during | ratio |
| --- | --- | --- | --- |
| memory (MiB), after ${first.requests} and after all | ${memory.before.toFixed(0)} | ${memory.after.toFixed(0)} | ${ratio(memory.after, memory.before)} |
| p99 of a cached response (ms), ${connections} connections beside ${connections} | ${before.p99.toFixed(2)} | ${p99.toFixed(2)} | ${ratio(p99, before.p99)} |`)
} finally {
  await service.stop()
  await rm(folder, { recursive: true })
}
