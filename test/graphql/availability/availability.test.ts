// Runs on SQLite only, undisturbed, in test:all only: PostgreSQL works in separate processes.
/** No request holds the service up: other clients are answered meanwhile, as docs/security.md promises. */
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type Test, t } from 'tap'
import { fieldNames } from '../../../domain/columns.ts'
import { openDatabase } from '../../../features/database.ts'
import { generateLoadTemplates } from '../../../seeds/load.ts'
import { seedLoad } from '../../../seeds/seed.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { seed } from '../../support/generated/seed.ts'
import { graphqlRequest } from '../../support/http/http.ts'
import { addClient, addUser, cheapHash } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { check, isWithin, megabyte, watched } from './check.ts'
import {
  contract,
  dataTwice,
  everyDocument16Times,
  everyText16Times,
  requests,
  types15Times
} from './requests.ts'
import type { Watched } from './watched-service.ts'

const templates = 20_000
/** Each commit sends an eighth of the requests; `SECONDS=60` sends all. */
const parts = Number(process.env.SECONDS ?? 0) >= 60 ? 1 : 8
const part = seed % parts
/** Settings that allow tens of seconds of work. */
const long = { GRAPHQL_MAX_COST: '10000000' }

// On a busy machine.
t.setTimeout(1_800_000)

t.test(`a store of ${templates} templates`, async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await seedLoad(db, cheapHash, templates, () => {})
  await addUser(db)
  await addClient(db)
  await db.destroy()

  await t.test('every request gets an answer, and so do others meanwhile', async t => {
    const { service, tokens } = await watched(t, url)
    for (const [name, body] of Object.entries(requests).filter((_, index) => index % parts === part))
      await t.test(name, async t => check(t, service, tokens, body))
  })

  await t.test("the contract's own query is never refused, and has the bytes of JSON.stringify", async t => {
    const { service, tokens } = await watched(t, url, { GRAPHQL_MAX_COST: '1000' })
    await check(t, service, tokens, contract)
    const response = await graphqlRequest(service.url, tokens.own, contract)
    t.ok(Buffer.from(await response.arrayBuffer()).equals(expectedAnswer()))
  })

  await t.test('an answer that is too large is refused before it takes the memory', async t => {
    const { service, tokens } = await watched(t, url, {
      GRAPHQL_MAX_RESULT_SIZE: `${64 * megabyte}`,
      GRAPHQL_MAX_COST: '10000000'
    })
    for (const body of [everyText16Times, everyDocument16Times]) {
      await check(t, service, tokens, body, { maxAnswer: 64 * megabyte })
      const response = await graphqlRequest(service.url, tokens.own, body)
      t.match(await response.json(), {
        data: null,
        errors: [
          { message: /exceeds 67108864 bytes|needs more memory/, extensions: { code: 'RESULT_TOO_LARGE' } }
        ]
      })
    }
    t.equal((await fetch(`${service.url}/livez`)).status, 200)
  })

  await t.test('the work for a client that has gone ends', async t => {
    const { service, tokens } = await watched(t, url, long)
    await service.read()
    const client = new AbortController()
    const response = graphqlRequest(service.url, tokens.own, types15Times, {}, client.signal)
    // What is sent later is answered later: by then the request has arrived.
    for (let count = 0; count < 5; count++) await (await fetch(`${service.url}/livez`)).bytes()
    client.abort()
    await t.rejects(response, { name: 'AbortError' })
    await becomeIdle(service)
    const { cpu } = await service.read()
    t.ok(isWithin(cpu, 2000), `${cpu} ms of CPU time, of about 10,000 for all of it`)
  })

  await t.test('an operation ends at its deadline, and its work with it', async t => {
    // With a small heap, the memory may be used up before the deadline.
    const { service, tokens } = await watched(t, url, { GRAPHQL_TIMEOUT: '1', NODE_OPTIONS: '', ...long })
    await service.read()
    const response = await graphqlRequest(service.url, tokens.own, types15Times)
    t.equal(response.status, 200)
    t.same(await response.json(), {
      errors: [{ message: 'the operation took longer than 1 seconds', extensions: { code: 'TIMEOUT' } }],
      data: null
    })
    await becomeIdle(service)
    const { cpu } = await service.read()
    t.ok(isWithin(cpu, 4000), `${cpu} ms of CPU time`)
  })

  await t.test('clients that do not read their answers share a bounded memory', async t => {
    const pending = 128 * megabyte
    const { service, tokens } = await watched(t, url, { GRAPHQL_MAX_PENDING_SIZE: `${pending}` })
    await service.read()
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => openResponse(t, service.url, tokens.own, dataTwice))
    )
    const statuses = responses.map(({ statusCode }) => statusCode).sort()
    t.equal(statuses[0], 200)
    t.equal(statuses.at(-1), 503)
    const { memory } = await service.read()
    t.ok(memory < 64 * megabyte + 3 * pending, `${memory} bytes`)
    t.equal((await fetch(`${service.url}/livez`)).status, 200)
  })
})

/** Milliseconds of CPU time that the service takes for ten small requests, at most, when it does nothing else. */
const maxIdleTime = 50

/** Asks for little things until the service does nothing else: each would have to wait for a turn of the event loop. */
async function becomeIdle({ url, child }: Watched): Promise<void> {
  await until(async () => {
    const before = cpuTime(child.pid)
    for (let count = 0; count < 10; count++) await (await fetch(`${url}/livez`)).bytes()
    return isWithin(cpuTime(child.pid) - before, maxIdleTime)
  })
}

/** CPU time of a process in milliseconds. */
function cpuTime(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  const ticks = Number(fields[13]) + Number(fields[14])
  return ticks * 10
}

/** A response of which nothing is read but the head. */
function openResponse(t: Test, url: string, token: string, body: object): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const outgoing = request(`${url}/graphql`, { method: 'POST', headers })
  t.teardown(() => outgoing.destroy())
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end(JSON.stringify(body))
  })
}

/** The answer to the contract's query, as simple as can be. */
function expectedAnswer(): Buffer {
  const latestFirst = [...generateLoadTemplates(templates)].sort((one, other) =>
    one.timeModified === other.timeModified
      ? other.id - one.id
      : one.timeModified < other.timeModified
        ? 1
        : -1
  )
  const inOrder = latestFirst.map(template => fieldNames.map(field => [field, template[field]]))
  return Buffer.from(JSON.stringify({ data: { allProducts: inOrder.map(Object.fromEntries) } }))
}
