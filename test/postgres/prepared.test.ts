// Runs on PostgreSQL only, in test:all only.
/** Prepared statements: which they are, how many, and what happens if the server does not execute them. */
import { type AddressInfo, connect, createServer } from 'node:net'
import { CompiledQuery, sql } from 'kysely'
import { type Test, t } from 'tap'
import { findStoredClient } from '../../db/accounts/clients.ts'
import { findUserByEmail } from '../../db/accounts/users.ts'
import { preparedQuery } from '../../db/dialects/prepared.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { openDatabase } from '../../features/database.ts'
import { productTemplates } from '../../index.ts'
import { demo } from '../../seeds/credentials.ts'
import { migratedUrl, onServer } from '../support/database/database.ts'
import { accessToken, basic, query, tokenRequest } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  client,
  host,
  testLimits,
  user
} from '../support/service/service.ts'

const headers = { authorization: basic('app', client.secret) }

/** The service on one connection, which also tells what it has prepared. */
async function serveOnOne(t: Test) {
  const url = await migratedUrl(t)
  const db = await openDatabase(url, { databasePoolSize: 1 })
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'], mayIntrospect: true })
  await addTemplates(db, {}, {}, {})
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  return { url, db, origin: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

interface PreparedStatement {
  statement: string
  time: string
  executions: number
}

async function listPrepared(db: Db): Promise<PreparedStatement[]> {
  const { rows } = await sql<PreparedStatement>`select statement, prepare_time as time,
    generic_plans + custom_plans as executions from pg_prepared_statements order by statement`.execute(db)
  return rows
}

/** A login, its refresh and introspection, a read and a write. */
async function useAll(t: Test, origin: string): Promise<string> {
  const login = await tokenRequest(origin, {}, headers)
  const { refresh_token } = (await login.json()) as { refresh_token: string }
  const form = { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token }
  const refreshed = await tokenRequest(origin, form, headers)
  const { access_token: token } = (await refreshed.json()) as { access_token: string }
  const body = new URLSearchParams({ token })
  const introspected = await fetch(`${origin}/oauth/introspect`, { method: 'POST', headers, body })
  t.match(await introspected.json(), { active: true })
  const read = await query(
    origin,
    token,
    '{ product(id: 1) { id revisions(first: 1) { nodes { number } } } }'
  )
  t.same(read.body.data?.product.id, 1, JSON.stringify(read.body))
  const name = `name ${Math.random()}`
  const change = `mutation { updateProduct(id: 1, input: { name: "${name}" }) { product { name } } }`
  const written = await query(origin, token, change)
  t.equal(written.body.data?.updateProduct.product.name, name, JSON.stringify(written.body))
  return token
}

t.test('a connection prepares a statement once and then executes it', async t => {
  const { db, origin } = await serveOnOne(t)
  await useAll(t, origin)
  const first = await listPrepared(db)
  const tables = [
    'client',
    'user',
    'token_family',
    'refresh_token',
    'version',
    'template',
    'revision',
    'attempt'
  ]
  for (const table of tables)
    t.ok(
      first.some(({ statement }) => statement.includes(`product_${table}`)),
      table
    )
  await useAll(t, origin)
  const second = new Map((await listPrepared(db)).map(each => [each.statement, each]))
  for (const { statement, time, executions } of first) {
    t.equal(second.get(statement)?.time, time)
    t.ok((second.get(statement)?.executions ?? 0) >= executions)
  }
  const status = first.find(({ statement }) => statement.includes('product_revoked_token'))
  t.ok(Number(second.get(status?.statement ?? '')?.executions) > Number(status?.executions))
})

t.test('no filter, page or facet is prepared, and a selection adds no statement', async t => {
  const { db, origin } = await serveOnOne(t)
  const token = await useAll(t, origin)
  await query(origin, token, '{ product(id: 1) { data } products(first: 1) { nodes { id } } }')
  const before = await listPrepared(db)
  const { body } = await query(
    origin,
    token,
    `{ one: products(first: 2, where: { name: { contains: "emp" }, maxItems: { gt: 1 } }) { totalCount nodes { id } }
       two: products(first: 1, where: { trait: { type: "a", equals: "b" } }, orderBy: { field: NAME }) { nodes { id } }
       three: products(first: 3, where: { search: "template" }) { nodes { name } }
       four: allProducts(limit: 2) { id }
       traits { type }
       a: product(id: 1) { name } b: product(id: 1) { maxItems timeCreated } c: product(id: 2) { data name } }`
  )
  t.notOk(body.errors, JSON.stringify(body.errors))
  const texts = (list: PreparedStatement[]) => list.map(({ statement }) => statement)
  const added = texts(await listPrepared(db)).filter(text => !texts(before).includes(text))
  t.same(
    added.filter(text => !text.includes('from product_template_index')),
    []
  )
})

t.test('a connection prepares at most 100 statements', async t => {
  const db = await openDatabase(await migratedUrl(t), { databasePoolSize: 1 })
  t.teardown(() => db.destroy())
  for (let number = 0; number < 150; number++) {
    const { rows } = await db.executeQuery(preparedQuery(CompiledQuery.raw(`select ${number} as number`)))
    t.same(rows, [{ number }])
  }
  t.equal((await listPrepared(db)).length, 100)
})

t.test('a change of the tables by another program breaks no request', async t => {
  const { url, db, origin } = await serveOnOne(t)
  const token = await useAll(t, origin)
  for (const table of ['client', 'user', 'template', 'revision', 'signing_key'])
    await onServer(url, `alter table product_${table} add column added text`)
  await onServer(url, 'alter table product_token_family alter column scope type varchar')
  await useAll(t, origin)
  t.equal((await query(origin, token, '{ product(id: 2) { name } }')).status, 200)
  t.not((await listPrepared(db)).length, 0, 'the connection and the other statements are still used')
})

t.test('a changed table makes a transaction run again', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url, { databasePoolSize: 1 })
  t.teardown(() => db.destroy())
  await addClient(db)
  await addUser(db)
  let runs = 0
  const job = async (transaction: Db) => {
    runs++
    const found = [
      await findStoredClient(transaction, client.id),
      await findUserByEmail(transaction, user.email)
    ]
    return found.every(row => row !== undefined)
  }
  t.ok(await transact(db, job))
  await onServer(url, 'alter table product_client add column added text')
  await onServer(url, 'alter table product_user add column added text')
  runs = 0
  t.ok(await transact(db, job))
  t.equal(runs, 3, 'once more for each table')
})

/** A proxy that hears the names under which each connection prepares statements (message Parse of the protocol). */
async function hearNames(t: Test, port: number) {
  const connections: string[][] = []
  const server = createServer(socket => {
    const names: string[] = []
    connections.push(names)
    const upstream = connect(port, '127.0.0.1')
    socket.on('data', chunk => {
      for (const [, name = ''] of chunk.toString('latin1').matchAll(/P[\s\S]{4}(product_[0-9a-f]{32})\0/g))
        names.push(name)
    })
    socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.on('error', () => socket.destroy())
    t.teardown(() => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections }
}

t.test('the command prepares each statement once per connection', async t => {
  const url = new URL(await migratedUrl(t))
  const { port, connections } = await hearNames(t, Number(url.port))
  url.port = String(port)
  const started = await serve(t, ['--demo'], { DATABASE_URL: url.href, PASSWORD_MEMORY: '7168' })
  for (let turn = 0; turn < 3; turn++) {
    const form = { username: demo.email, password: demo.password }
    const demoClient = { authorization: basic(demo.clientId, demo.clientSecret) }
    const token = await accessToken(started.url, form, demoClient)
    t.equal((await query(started.url, token, `{ product(id: ${turn}) { id } }`)).status, 200)
  }
  t.ok(connections.flat().length > 0)
  for (const names of connections) t.same(names, [...new Set(names)])
})
