/** Several worker processes behave as one service. */

import { access } from 'node:fs/promises'
import type { Agent } from 'node:http'
import { join } from 'node:path'
import { t } from 'tap'
import { openDatabase } from '../../db/connect.ts'
import { beginRebuild } from '../../db/templates/index/rebuild.ts'
import { demo } from '../../seeds/credentials.ts'
import { directory, engine, migratedUrl } from '../database.ts'
import { basic } from '../http.ts'
import { run, start } from '../process.ts'
import { listeningWorker, openTwo, readLog, send, serveByTwo, whoLogged } from './worker-log.ts'

/** Addresses and sockets know no engine. */
const once = { skip: engine === 'postgres' && 'it was run on SQLite' }

const login = {
  method: 'POST',
  headers: {
    authorization: basic(demo.clientId, demo.clientSecret),
    'content-type': 'application/x-www-form-urlencoded'
  },
  body: new URLSearchParams({
    grant_type: 'password',
    username: demo.email,
    password: demo.password
  }).toString()
}

/** Sends an operation on a connection of the agent; returns its data. */
async function ask(url: string, token: string, agent: Agent, query: string) {
  const { status, body } = await send(`${url}/graphql`, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query })
  })
  return status === 200 && !body.errors ? body.data : { status, body }
}

t.test('two workers answer on one port as one service', async t => {
  const { url, workers, child, ended } = await serveByTwo(t, { DATABASE_URL: await migratedUrl(t) })
  const agents = openTwo(t)

  // A token issued by one is valid for both.
  const tokens = []
  for (const agent of agents)
    tokens.push((await send(`${url}/oauth/token`, { ...login, agent })).body.access_token)
  for (const token of tokens)
    for (const agent of agents)
      t.match(await ask(url, token, agent, '{ __typename }'), { __typename: 'Query' })

  // What one has written, both answer with from then on, whatever they have kept.
  const { allProducts } = await ask(url, tokens[0], agents[0], '{ allProducts(limit: 1) { id name } }')
  const { id } = allProducts[0]
  for (let turn = 0; turn < 20; turn++) {
    const [writer, reader] = turn % 2 === 0 ? agents : [agents[1], agents[0]]
    const name = `written in turn ${turn}`
    const change = `mutation { updateProduct(id: ${id}, input: { name: "${name}" }) { userErrors { message } } }`
    t.same(await ask(url, tokens[0], writer, change), { updateProduct: { userErrors: [] } })
    for (const agent of [reader, writer, reader])
      t.same(await ask(url, tokens[1], agent, `{ product(id: ${id}) { name } }`), { product: { name } })
  }

  // What one has revoked, both refuse.
  const revoke = { ...login, agent: agents[0], body: `token=${tokens[1]}` }
  t.equal((await send(`${url}/oauth/revoke`, revoke)).status, 200)
  for (const agent of agents) t.equal((await ask(url, tokens[1], agent, '{ __typename }')).status, 401)

  child.kill('SIGTERM')
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.same(
    whoLogged(stdout, 'token issued'),
    workers.toSorted((one, other) => one - other),
    'both have issued one'
  )
  t.same(whoLogged(stdout, `Server listening at ${url}`), [child.pid], 'the primary process names the port')
  t.equal(readLog(stdout).filter(({ msg }) => msg.startsWith('Server listening')).length, 1)
})

t.test('the limit per address counts the requests to all workers', once, async t => {
  const env = { DATABASE_URL: await migratedUrl(t), ADDRESS_LIMIT: '5' }
  const { url, workers, child, ended } = await serveByTwo(t, env)
  const answers = []
  for (let turn = 0; turn < 8; turn++)
    answers.push(await send(`${url}/oauth/token`, { method: 'POST', headers: { 'content-length': 0 } }))
  t.same(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 401, 429, 429, 429]
  )
  for (const { status, headers } of answers) {
    const seconds = Number(headers['retry-after'])
    t.ok(status === 401 || (seconds > 0 && seconds <= 60), `${seconds} s`)
  }
  child.kill('SIGTERM')
  const { stdout } = await ended
  t.equal(whoLogged(stdout, 'request completed').length, workers.length, 'both were asked')
})

t.test('one worker does the upkeep for all, and another one when it has ended', async t => {
  const DATABASE_URL = await migratedUrl(t)
  const service = await serveByTwo(t, { DATABASE_URL })
  const db = await openDatabase(DATABASE_URL)
  t.teardown(() => db.destroy())
  const rebuilt = /"pid":(?<pid>\d+),.*the index of templates is complete/
  await beginRebuild(db)
  const { pid: first } = JSON.parse(await service.line('stdout', rebuilt))
  t.ok(service.workers.includes(first))
  process.kill(first, 'SIGKILL')
  await listeningWorker(service, service.workers)
  await beginRebuild(db)
  await service.line('stdout', new RegExp(`"pid":(?!${first}\\b)\\d+,.*the index of templates is complete`))
})

t.test('two workers share a Unix domain socket, which is removed at the end', once, async t => {
  const env = {
    DATABASE_URL: await migratedUrl(t),
    SOCKET_PATH: join(await directory(t), 'service.sock'),
    WORKERS: '2',
    LOG_LEVEL: 'debug'
  }
  const livez = () => send('http://localhost/livez', { socketPath: env.SOCKET_PATH })
  const killed = start(t, ['serve'], env)
  await killed.line('stdout', /Server listening at/)
  t.equal((await livez()).status, 200)
  killed.child.kill('SIGKILL')
  // Its workers end with it: they would keep its output open.
  await killed.ended
  await access(env.SOCKET_PATH)

  const second = start(t, ['serve'], env)
  await second.line('stdout', /Server listening at/)
  const third = await run(t, ['serve'], env)
  t.equal(third.code, 1)
  t.match(third.stderr, /^product-templates: cannot listen: .*EADDRINUSE.*\n$/)
  for (let turn = 0; turn < 4; turn++) t.equal((await livez()).status, 200)
  second.child.kill('SIGTERM')
  const { code, stdout } = await second.ended
  t.equal(code, 0)
  t.equal(whoLogged(stdout, 'request completed').length, 2)
  await t.rejects(access(env.SOCKET_PATH), { code: 'ENOENT' })
})
