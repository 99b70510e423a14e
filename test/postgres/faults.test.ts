// Runs on PostgreSQL only, alone, in test:all only.
/** PostgreSQL that is not there, goes away, keeps silent or has no room, while the service runs on it. */
import { connect, createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { type Test, t } from 'tap'
import { isUnavailable } from '../../db/dialects/faults.ts'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl } from '../support/database/database.ts'
import {
  accessToken,
  basic,
  graphqlRequest,
  oauthError,
  query,
  responseJson,
  tokenRequest
} from '../support/http/http.ts'
import { proxy } from '../support/http/proxy.ts'
import { freePort } from '../support/postgres/postgres.ts'
import { run, serve, start } from '../support/service/process.ts'
import { addClient, addTemplates, addUser, client } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const quick = { DATABASE_QUERY_TIMEOUT: '3', PASSWORD_MEMORY: '7168' }
const headers = { authorization: basic('app', client.secret) }

const at = (url: string, port: number): string => {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** The process on a database behind a proxy, with a template, a user and a client that gets refresh tokens. */
async function serveBehindProxy(t: Test, env: Record<string, string> = {}) {
  const direct = await migratedUrl(t)
  const db = await openDatabase(direct)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  await addTemplates(db, {})
  const between = await proxy(t, Number(new URL(direct).port))
  const service = await serve(t, [], { DATABASE_URL: at(direct, between.port), ...quick, ...env })
  return { ...service, direct, db, between, token: await accessToken(service.url, {}, headers) }
}

const read = (url: string, token: string) => query(url, token, '{ allProducts { id } }')
const status = async (url: string, path: string) => (await fetch(`${url}${path}`)).status

/** Locks the table of templates on a connection of its own; returns what releases the lock. */
async function lockTemplates(t: Test, connectionString: string) {
  const holder = new pg.Client({ connectionString })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin')
  await holder.query('lock table product_template in access exclusive mode')
  return () => holder.query('rollback')
}

/** Connections to the database that wait for a lock. */
async function countLockWaits(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
  return rows[0]?.count ?? 0
}

/** Every way in says 503 and when to come again; the process lives. */
async function refusesAll(t: Test, url: string, token: string) {
  const login = await tokenRequest(url, {}, headers)
  t.equal(login.headers.get('retry-after'), '1')
  t.same(await oauthError(t, login), [503, 'temporarily_unavailable'])
  const refused = await read(url, token)
  t.equal(refused.status, 503)
  t.match(refused.body, { errors: [{ extensions: { code: 'UNAVAILABLE' } }], data: undefined })
  await until(async () => (await status(url, '/readyz')) !== 200)
  t.equal(await status(url, '/livez'), 200)
}

async function servesAll(t: Test, url: string, token: string) {
  // A connection that is cut this moment, or that was opened while the server took no writes, may be handed out once.
  await until(async () => (await status(url, '/readyz')) === 200)
  t.same((await read(url, token)).body, { data: { allProducts: [{ id: 0 }] } })
  await until(async () => (await tokenRequest(url, {}, headers)).status === 200)
}

t.test(
  'if the server is never reachable, the command exits with 1 and one line after the timeout',
  async t => {
    const url = `postgres://templates:s3cr3t@127.0.0.1:${await freePort()}/templates`
    const { code, stderr } = await run(t, ['serve'], { DATABASE_URL: url, DATABASE_START_TIMEOUT: '1' })
    t.equal(code, 1)
    t.match(
      stderr,
      /^product-templates: PTS_DATABASE_UNREACHABLE: cannot reach the database 127.0.0.1:\d+\/templates: .*ECONNREFUSED/
    )
    t.equal(stderr.trim().split('\n').length, 1)
    t.notMatch(stderr, /s3cr3t/)
  }
)

t.test('the start waits for a server that comes up later', async t => {
  const direct = await migratedUrl(t)
  const port = await freePort()
  const late = start(t, ['serve'], { DATABASE_URL: at(direct, port), PORT: '0', LOG_LEVEL: 'info' })
  // Somebody who hangs up at once, twice: the service has tried, and goes on trying.
  await new Promise<void>(resolve => {
    let calls = 0
    const door = createServer(socket => {
      socket.destroy()
      if (++calls === 2) door.close(() => resolve())
    }).listen(port, '127.0.0.1')
  })
  const bridge = createServer(socket => {
    const upstream = connect(Number(new URL(direct).port), '127.0.0.1')
    socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.on('error', () => {})
  }).listen(port, '127.0.0.1')
  t.teardown(() => bridge.close())
  await late.line('stdout', /Server listening at/)
})

t.test(
  'after connections are cut, requests get 503 until reconnecting works; no restart is needed',
  async t => {
    const { url, between, token } = await serveBehindProxy(t)
    between.cut()
    await servesAll(t, url, token)
    between.cutAtWords()
    t.equal((await read(url, token)).status, 503, 'in the middle of a query')
    between.open()
    await servesAll(t, url, token)
  }
)

t.test('a server that accepts connections late, but answers, keeps those that it has', async t => {
  const direct = await migratedUrl(t)
  const between = await proxy(t, Number(new URL(direct).port))
  const db = await openDatabase(at(direct, between.port))
  t.teardown(() => db.destroy())
  const wait = (one: Db, seconds: number) => sql`select pg_sleep(${seconds})`.execute(one)
  await db.connection().execute(slow =>
    db.connection().execute(async quick => {
      await wait(quick, 0)
      between.keepWaiting()
      const others = async () => {
        for (let at = 0; at < 35; at++) await wait(quick, 0.1)
      }
      const outcomes = await Promise.allSettled([wait(slow, 3.5), others()])
      t.strictSame(new Set(outcomes.map(({ status }) => status)), new Set(['fulfilled']))
    })
  )
})

t.test('a server that answers a new connection slowly keeps those that wait', async t => {
  const direct = await migratedUrl(t)
  const between = await proxy(t, Number(new URL(direct).port))
  const db = await openDatabase(at(direct, between.port))
  t.teardown(() => db.destroy())
  await db.connection().execute(async slow => {
    await sql`select 1`.execute(slow)
    // A server must open a connection within a second. Its answers take longer than that together.
    between.delay(700)
    await t.resolves(sql`select pg_sleep(3)`.execute(slow))
  })
})

t.test('a server that does not respond leads to 503 within the timeout', async t => {
  const { url, between, token } = await serveBehindProxy(t)
  between.swallow()
  await refusesAll(t, url, token)
  between.cut()
  await servesAll(t, url, token)
})

t.test('with no free connection in the pool, a request waits for the timeout and gets 503', async t => {
  const { url, token, direct, db } = await serveBehindProxy(t, {
    DATABASE_POOL_SIZE: '2',
    DATABASE_QUERY_TIMEOUT: '60'
  })
  const holder = new pg.Client({ connectionString: direct })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin')
  await holder.query('lock table product_signing_key in access exclusive mode')
  const stuck = [read(url, token), read(url, token)]
  // Both connections wait for the lock by now.
  await until(async () => (await countLockWaits(db)) >= 2)
  await refusesAll(t, url, token)
  await holder.query('rollback')
  for (const answer of stuck) t.equal((await answer).status, 200)
  await servesAll(t, url, token)
})

t.test('operations that hold all connections they may have leave one to tokens and probes', async t => {
  const { url, token, direct, db } = await serveBehindProxy(t, {
    DATABASE_POOL_SIZE: '3',
    DATABASE_CONNECT_TIMEOUT: '120',
    DATABASE_QUERY_TIMEOUT: '240',
    GRAPHQL_TIMEOUT: '120'
  })
  // Reads the statistics of the store, for which operations would wait together.
  await read(url, token)
  const release = await lockTemplates(t, direct)
  // Different ones: equal requests may share one execution.
  const stuck = Array.from({ length: 5 }, (_, turn) =>
    query(url, token, `{ all${turn}: allProducts { id } }`)
  )
  await until(async () => (await countLockWaits(db)) >= 2)
  t.equal(await status(url, '/readyz'), 200)
  t.equal((await tokenRequest(url, {}, headers)).status, 200)
  t.same((await query(url, token, '{ __typename }')).body, { data: { __typename: 'Query' } })
  t.equal((await query(url, 'x.y.z', '{ __typename }')).status, 401)
  t.equal(await countLockWaits(db), 2, 'the operations still wait')
  await release()
  for (const answer of stuck) t.equal((await answer).status, 200)
})

const patient = { DATABASE_QUERY_TIMEOUT: '600' }

t.test('at its deadline, an operation leaves nothing running in the server', async t => {
  const { url, token, direct, db } = await serveBehindProxy(t, { ...patient, GRAPHQL_TIMEOUT: '1' })
  // Reads the statistics of the store, for which operations wait together, so they end with none of them. A busy machine
  // may take longer than a second.
  await until(async () => (await read(url, token)).body.data)
  const release = await lockTemplates(t, direct)
  const late = await read(url, token)
  t.match(late.body, { errors: [{ extensions: { code: 'TIMEOUT' } }] })
  await until(async () => (await countLockWaits(db)) === 0)
  await release()
  await until(async () => (await read(url, token)).body.data)
})

t.test('an operation that waits too long before it is admitted has failed; it is not refused', async t => {
  const { url, token, direct, line } = await serveBehindProxy(t, { ...patient, GRAPHQL_TIMEOUT: '1' })
  // The first operation reads the statistics of the store, which tell its cost.
  const release = await lockTemplates(t, direct)
  const late = await graphqlRequest(url, token, { query: '{ allProducts { id } }' }, responseJson)
  t.equal(late.status, 200)
  t.match(await late.json(), { data: null, errors: [{ extensions: { code: 'TIMEOUT' } }] })
  await line('stdout', /the operation took longer than 1 seconds.*the operation ended without a result/)
  await release()
})

t.test('when its client has gone, an operation leaves nothing running in the server', async t => {
  const { url, token, direct, db } = await serveBehindProxy(t, { ...patient, GRAPHQL_TIMEOUT: '600' })
  await read(url, token)
  const release = await lockTemplates(t, direct)
  const client = new AbortController()
  const request = fetch(`${url}/graphql?query={allProducts{id}}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: client.signal
  })
  await until(async () => (await countLockWaits(db)) >= 1)
  client.abort()
  await t.rejects(request, { name: 'AbortError' })
  await until(async () => (await countLockWaits(db)) === 0)
  await release()
  t.equal((await read(url, token)).status, 200)
})

t.test('a session ended by the server is not used again', async t => {
  const { url, token, db } = await serveBehindProxy(t)
  for (let turn = 0; turn < 3; turn++) {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
    const { status } = await read(url, token)
    t.ok(status === 200 || status === 503, String(status))
  }
  await servesAll(t, url, token)
})

t.test('a transaction with a lost response was committed or not, and can be retried', async t => {
  const { url, between, db } = await serveBehindProxy(t)
  const families = async () => (await db.selectFrom('product_token_family').select('id').execute()).length
  const before = await families()
  for (let turn = 0; turn < 5; turn++) {
    between.cutAtWords()
    t.equal((await tokenRequest(url, {}, headers)).status, 503)
    between.open()
  }
  t.equal(await families(), before)
  t.equal((await tokenRequest(url, {}, headers)).status, 200)
  t.equal(await families(), before + 1)
})

/** Makes all sessions of the database that begin from now on read-only, as those behind a proxy to a standby are. */
async function setReadOnly(db: Db, readOnly: boolean): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const value = readOnly ? 'on' : 'off'
  await sql`alter database ${sql.id(rows[0]?.name ?? '')} set default_transaction_read_only = ${sql.lit(value)}`.execute(
    db
  )
}

t.test(
  'on a server that takes no writes, as after a failover, writes get 503 and reads still work',
  async t => {
    const { url, token, db, between } = await serveBehindProxy(t)
    await setReadOnly(db, true)
    between.cut()
    const login = await tokenRequest(url, {}, headers)
    t.same(await oauthError(t, login), [503, 'temporarily_unavailable'])
    await until(async () => (await status(url, '/readyz')) !== 200)
    const found = await fetch(`${url}/readyz`)
    t.match(await found.json(), { checks: { database: 'ok', writable: 'read-only' } })
    t.equal((await read(url, token)).status, 200)
    await setReadOnly(db, false)
    await servesAll(t, url, token)
  }
)

/** Runs jobs at the same time, each on a connection of its own. */
async function onConnections(db: Db, count: number, job: (db: Db) => Promise<unknown>): Promise<void> {
  const all = Promise.withResolvers<void>()
  let open = 0
  const run = async (connection: Db) => {
    await job(connection)
    if (++open === count) all.resolve()
    await all.promise
  }
  await Promise.all(Array.from({ length: count }, () => db.connection().execute(run)))
}

t.test('connections to a server that takes no writes are closed, one error each', async t => {
  const size = 4
  const url = await migratedUrl(t)
  const watcher = await openDatabase(url)
  t.teardown(() => watcher.destroy())
  await setReadOnly(watcher, true)
  const db = await openDatabase(url, { databasePoolSize: size })
  t.teardown(() => db.destroy())
  await onConnections(db, size, connection => sql`select 1`.execute(connection))
  await setReadOnly(watcher, false)
  const refused = await Promise.allSettled(
    Array.from({ length: size }, (_, turn) => addClient(db, { id: `refused-${turn}` }))
  )
  for (const result of refused) t.match(result, { status: 'rejected', reason: { code: '25006' } })
  await onConnections(db, size, connection => addClient(connection, { id: crypto.randomUUID() }))
  t.equal((await db.selectFrom('product_client').select('id').execute()).length, size)
})

t.test('a feature that the server does not have is an error, after which the connection stays', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url, { databasePoolSize: 1 })
  t.teardown(() => db.destroy())
  const backend = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
  const before = await backend()
  const unsupported = sql`select from product_user full join product_client on true for update`
  const error = await unsupported.execute(db).catch(error => error)
  t.equal(error.code, '0A000')
  t.notOk(isUnavailable(error))
  t.equal(await backend(), before)
})
