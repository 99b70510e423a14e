// Runs on PostgreSQL only, alone.
/**
 * Instances, their servers and the network between them fail at random while clients use the service. The history of
 * what clients were answered contradicts no promise. `node test/run.ts --seconds 1800 test/cluster/chaos.test.ts` is
 * thorough.
 */
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { createRandom } from '../../seeds/load.ts'
import { seed } from '../support/generated/seed.ts'
import { hostList } from '../support/postgres/pair.ts'
import { needs } from '../support/programs.ts'
import { addClient, addUser } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { findViolations } from './chaos/check.ts'
import { runClients } from './chaos/clients.ts'
import { canStopDisk, prepareDisks } from './chaos/disk.ts'
import { bringAbout, diskFaults, instanceFaults, serverFaults } from './chaos/faults.ts'
import { Instances } from './chaos/instances.ts'
import { issue, tryToken, type World, worker } from './chaos/requests.ts'
import { Servers } from './chaos/servers.ts'
import { readLast } from './chaos/templates.ts'

/** Of all faults of the servers: each takes about a minute. */
const rounds = Math.ceil(Number(process.env.SECONDS ?? 60) / 60)
const env = {
  DATABASE_CONNECT_TIMEOUT: '1',
  DATABASE_QUERY_TIMEOUT: '1',
  ACCESS_TOKEN_TTL: '86400',
  ADDRESS_LIMIT: '0',
  CLIENT_LIMIT: '0',
  ISSUER: 'https://issuer.example'
}

async function addAccounts(url: string): Promise<void> {
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db, { id: worker.id, grantTypes: ['password', 'refresh_token', 'client_credentials'] })
  await db.destroy()
}

/** Some read from replicas, and some have the hosts in another order. */
function makeEnvironments({ places: [one, two] }: Servers): Record<string, string>[] {
  const lists = [
    [one, two],
    [two, one]
  ].map(places =>
    hostList(
      one.server,
      places.map(({ front }) => front.port)
    )
  )
  return lists.flatMap((DATABASE_URL, index) => [
    { ...env, DATABASE_URL },
    { ...env, DATABASE_URL, DATABASE_READ_URL: lists[1 - index] as string }
  ])
}

t.test(`npm run test:cluster -- --seed ${seed}`, needs('the compiler cc'), async t => {
  prepareDisks(t)
  const servers = await Servers.start(t)
  for (const { server } of servers.places) t.ok(canStopDisk(server))
  await addAccounts(servers.primary.server.url)
  await servers.synchronize()
  const instances = await Instances.start(t, makeEnvironments(servers))
  let hasEnded = false
  const { urls } = instances
  const world: World = { urls, history: [], statuses: {}, random: createRandom(seed), isOver: () => hasEnded }
  const counts: Record<string, number> = {}
  const note = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const working = runClients(world)
  t.teardown(() => {
    hasEnded = true
  })
  let haveServersFailed = false
  const failing = bringAbout(
    { ...serverFaults, ...diskFaults },
    { servers, instances, random: createRandom(seed) },
    done => done === rounds,
    note
  ).finally(() => {
    haveServersFailed = true
  })
  const targets = { servers, instances, random: createRandom(seed + 1) }
  await Promise.all([failing, bringAbout(instanceFaults, targets, () => haveServersFailed, note)])
  await until(async () => (await Promise.all(urls.map(url => fetch(`${url}/readyz`)))).every(({ ok }) => ok))
  hasEnded = true
  const { ids, revoked } = await working
  const token = await issue(world)
  for (const url of urls) await readLast(world, token ?? '', ids, url)
  for (const token of revoked) await tryToken(world, token)

  const { history, statuses } = world
  const kinds = Map.groupBy(history, ({ kind }) => kind)
  for (const [kind, { length }] of kinds) t.comment(`${kind}: ${length}`)
  t.comment(`answers: ${JSON.stringify(statuses)}`)
  for (const [name, count] of Object.entries(counts)) t.comment(`${count} × ${name}`)
  const violations = findViolations(history)
  t.same(violations.slice(0, 10), [], `${violations.length} violations`)
  t.same(
    Object.keys(statuses).filter(name => !['0', '200', '400', '401', '503'].includes(name)),
    []
  )
  for (const kind of ['write', 'read', 'revocation', 'use', 'rotation'] as const)
    t.ok((kinds.get(kind)?.length ?? 0) > 20 * rounds, kind)
})
