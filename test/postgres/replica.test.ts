// Runs on PostgreSQL only, in test:all only.
/** Lists, pages and facets are read from a replica that has all that was committed; otherwise from the primary. */
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { attachReplica, inSnapshot, openSnapshot } from '../../db/templates/snapshot.ts'
import { includesVersion, readTemplatesVersion } from '../../db/versions.ts'
import { openDatabase } from '../../features/database.ts'
import { demo } from '../../seeds/credentials.ts'
import { onServer } from '../support/database/database.ts'
import { accessToken, basic, graphqlRequest } from '../support/http/http.ts'
import { proxy } from '../support/http/proxy.ts'
import { catchUp, startPair } from '../support/postgres/pair.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { run, serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'

// A busy machine may take longer than seconds to connect, which would count as a failure of the replica.
const env = {
  PASSWORD_MEMORY: '7168',
  DATABASE_CONNECT_TIMEOUT: '30',
  DATABASE_QUERY_TIMEOUT: '60',
  GRAPHQL_TIMEOUT: '120',
  ADDRESS_LIMIT: '0',
  CLIENT_LIMIT: '0',
  ISSUER: 'https://issuer.example',
  METRICS: 'true'
}
const client = { authorization: basic(demo.clientId, demo.clientSecret) }
const user = { username: demo.email, password: demo.password }

/** A service that reads from a standby, and questions to it that are never answered by what is kept. */
async function startReading(t: Test) {
  const { primary, standby } = await startPair(t)
  const between = await proxy(t, standby.port)
  await run(t, ['seed', '--load', '300'], { DATABASE_URL: primary.url })
  const service = await serve(t, ['--demo'], {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: standby.url.replace(`:${standby.port}/`, `:${between.port}/`),
    ...env
  })
  await catchUp(standby, primary)
  const token = await accessToken(service.url, user, client)
  let asked = 0
  const send = (selection: string, type = 'query') =>
    graphqlRequest(service.url, token, { query: `${type} q${asked++} { ${selection} }` })
  const ask = async (selection: string, type = 'query') => {
    const response = await send(selection, type)
    const { data, errors } = (await response.json()) as { data: Record<string, never[]>; errors?: object[] }
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  const figure = async (name: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(new RegExp(`_${name} (\\d+)`).exec(text)?.[1] ?? 0)
  }
  const reads = async () => {
    const count = (result: string) => figure(`store_replica_reads_total\\{result="${result}"\\}`)
    return { served: await count('served'), behind: await count('behind'), failed: await count('failed') }
  }
  const ready = async () => {
    const response = await fetch(`${service.url}/readyz`)
    const { checks } = (await response.json()) as { checks: { replica: string } }
    return [response.status, checks.replica]
  }
  return { primary, standby, between, send, ask, figure, reads, ready }
}

const rename = (name: string) => `updateProduct(id: 1, input: { name: "${name}" }) { product { id } }`

t.test('nothing that is read from a replica is older than what was written', async t => {
  const { primary, standby, ask, reads } = await startReading(t)
  for (let round = 0; round < 30; round++) {
    const isPaused = round % 2 === 1
    await onServer(standby.url, `select pg_wal_replay_${isPaused ? 'pause' : 'resume'}()`)
    const name = `name ${round}`
    await ask(rename(name), 'mutation')
    const check = async () => {
      const [list, page, counted] = await Promise.all([
        ask('allProducts(where: { id: { equals: 1 } }) { name }'),
        ask('products(first: 1) { nodes { name } }'),
        ask(`products(where: { name: { equals: "${name}" } }) { totalCount }`)
      ])
      const answers = [list.allProducts, page.products, counted.products]
      const right = [[{ name }], { nodes: [{ name }] }, { totalCount: 1 }]
      if (JSON.stringify(answers) !== JSON.stringify(right)) t.same(answers, right)
    }
    await check()
    if (isPaused) continue
    await catchUp(standby, primary)
    const before = (await reads()).served
    await until(async () => {
      await check()
      return (await reads()).served > before
    })
  }
  const { behind, failed } = await reads()
  t.ok(behind >= 15, `${behind} behind`)
  t.equal(failed, 0)
})

t.test('long lists and facets come from the replica, too', async t => {
  const { ask, reads } = await startReading(t)
  const before = (await reads()).served
  t.equal((await ask('allProducts { id data }')).allProducts?.length, 300)
  await ask('traits(where: { trait: { type: "MadeIn", exists: true } }) { type }')
  t.equal((await reads()).served, before + 2)
})

t.test(
  'the feed of changes and names come from the primary, because no version of the templates has them',
  async t => {
    const { primary, standby, ask, reads } = await startReading(t)
    await ask(rename('renamed'), 'mutation')
    await catchUp(standby, primary)
    const before = (await reads()).served
    await ask('products(first: 1) { nodes { name } }')
    await onServer(standby.url, 'select pg_wal_replay_pause()')
    t.equal((await reads()).served, before + 1, 'the standby has the version of the templates')
    await onServer(primary.url, `update product_user set first_name = 'Renamed', last_name = ''`)

    let changes: { templateId: number }[] = []
    for (let after = ''; ; ) {
      const asked = `changes(first: 100${after}) { edges { node { templateId } } pageInfo { hasNextPage endCursor } latestCursor }`
      const page = (await ask(asked)).changes as unknown as {
        edges: { node: { templateId: number } }[]
        pageInfo: { hasNextPage: boolean; endCursor: string }
        latestCursor: string
      }
      changes = [...changes, ...page.edges.map(({ node }) => node)]
      after = `, after: "${page.pageInfo.endCursor}"`
      if (page.pageInfo.hasNextPage) continue
      t.equal(page.latestCursor, page.pageInfo.endCursor)
      t.same((await ask(`changes(first: 1${after}) { edges { cursor } }`)).changes, { edges: [] })
      break
    }
    t.match(changes.at(-1), { templateId: 1 })
    t.ok(changes.length > 300, `${changes.length} changes`)
    t.match((await ask('viewer { name }')).viewer, { name: 'Renamed' })
    const author = 'productRevisions(id: 1, first: 1) { nodes { author { name } } }'
    t.same((await ask(author)).productRevisions, { nodes: [{ author: { name: 'Renamed' } }] })
  }
)

t.test('a replica that fails costs nobody an answer, is left alone, and is used again', async t => {
  const { between, ask, reads, ready } = await startReading(t)
  t.same(await ready(), [200, 'ok'])
  between.cutAtWords()
  for (let count = 0; count < 20; count++) t.ok((await ask('products(first: 1) { nodes { id } }')).products)
  await until(async () => {
    await ask('products(first: 1) { nodes { id } }')
    return (await ready())[1] === 'degraded'
  })
  t.equal((await ready())[0], 200)
  const { failed } = await reads()
  t.ok(failed > 0 && failed < 20, `${failed} failed`)
  between.open()
  const { served } = await reads()
  await until(async () => {
    await ask('products(first: 1) { nodes { id } }')
    return (await reads()).served > served
  })
  await until(async () => (await ready())[1] === 'ok')
})

t.test(
  'a list whose replica fails in the middle is refused, here and on a worker, and the next is answered',
  async t => {
    const { primary, standby, send, figure, reads } = await startReading(t)
    const db = await openDatabase(primary.url)
    t.teardown(() => db.destroy())
    const large = Array.from({ length: 15 }, (_, index) => `a${index}: allProducts { id name data }`).join(
      ' '
    )
    for (const [list, threads, end, failures] of [
      // A statement that is canceled, such as by its timeout, says nothing about the replica.
      ['allProducts { id }', 0, 'pg_cancel_backend', 0],
      ['allProducts { id }', 0, 'pg_terminate_backend', 1],
      [large, 1, 'pg_terminate_backend', undefined]
    ] as const) {
      const waiting = `from pg_stat_activity where wait_event_type = 'Lock' and backend_type = 'client backend'`
      // The standby takes the lock, too, so its reads wait.
      const lock = async () => {
        // A standby that was behind or has failed is left alone for a while; the primary would wait for the lock.
        const { served } = await reads()
        await until(async () => (await send('allProducts { id }')).ok && (await reads()).served > served)
        // Here or on its thread, the list reads the statistics, which would wait for the lock, too.
        t.equal((await send(list)).status, 200)
        const locking = await db.startTransaction().execute()
        // Otherwise a test that fails would wait for its transaction.
        t.teardown(() => (locking.isRolledBack ? undefined : locking.rollback().execute()))
        await sql`lock table product_template in access exclusive mode`.execute(locking)
        await onServer(primary.url, `select pg_logical_emit_message(true, 'test', 'flushes the log')`)
        await catchUp(standby, primary)
        const answer = send(list)
        let isAnswered = false
        void answer.finally(() => {
          isAnswered = true
        })
        await until(
          async () => isAnswered || (await onServer(standby.url, `select 1 ${waiting}`)).rowCount === 1
        )
        return { locking, answer, isAnswered }
      }
      let attempt = await lock()
      // A standby that was behind for a moment is left alone for the next.
      while (attempt.isAnswered) {
        await attempt.locking.rollback().execute()
        attempt = await lock()
      }
      const { locking, answer } = attempt
      t.equal(await figure('graphql_threads_running'), threads, `on ${threads} threads`)
      const before = (await reads()).failed
      await onServer(standby.url, `select ${end}(pid) ${waiting}`)
      const { status, headers } = await answer
      t.same([status, headers.get('retry-after')], [503, '1'])
      if (failures !== undefined) t.equal((await reads()).failed - before, failures, end)
      await locking.rollback().execute()
      t.equal((await send(list)).status, 200)
    }
  }
)

t.test('an export is read from the replica if it has all that was committed', async t => {
  const { primary, standby } = await startPair(t)
  await run(t, ['seed', '--load', '300'], { DATABASE_URL: primary.url })
  await catchUp(standby, primary)
  const rowsRead = async ({ url }: { url: string }) => {
    const { rows } = await onServer(
      url,
      `select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables where relname = 'product_template'`
    )
    return Number(rows[0].count)
  }
  const exportAll = async (replica = standby.url) => {
    const { stdout } = await run(t, ['export', '--format', 'json'], {
      DATABASE_URL: primary.url,
      DATABASE_READ_URL: replica
    })
    return JSON.parse(stdout)
  }
  const before = { primary: await rowsRead(primary), standby: await rowsRead(standby) }
  t.equal((await exportAll()).length, 300)
  await until(async () => (await rowsRead(standby)) >= before.standby + 300)
  t.equal(await rowsRead(primary), before.primary)
  t.equal(
    (await exportAll(standby.url.replace(/:\d+\//, ':1/'))).length,
    300,
    'a replica that does not answer'
  )

  await onServer(standby.url, 'select pg_wal_replay_pause()')
  await onServer(primary.url, `update product_template set name = 'new' where id = 1`)
  t.match(
    (await exportAll()).find(({ id }: { id: number }) => id === 1),
    { name: 'new' }
  )
  await until(async () => (await rowsRead(primary)) >= before.primary + 300)
})

t.test(
  'a job whose replica fails is refused as unavailable, and the replica is left alone for a while',
  async t => {
    const { primary, standby } = await startPair(t)
    const db = await openDatabase(primary.url)
    t.teardown(() => db.destroy())
    await catchUp(standby, primary)
    const version = await readTemplatesVersion(db)
    for (const [statement, code, failed] of [
      ['select pg_terminate_backend(pg_backend_pid()) where pg_is_in_recovery()', 'PTS_REPLICA_FAILED', 1],
      // As for a column that a migration has just added to the database.
      [
        `do $$ begin if pg_is_in_recovery() then raise sqlstate '42703'; end if; end $$`,
        'PTS_REPLICA_FAILED',
        1
      ],
      // The fault is in the statement.
      ['select 1 / 0', '22012', 0]
    ] as const) {
      const replica = await attachReplica(db, standby.url, {})
      t.teardown(() => replica.destroy())
      const job = (snapshot: Db) => sql.raw(statement).execute(snapshot)
      await t.rejects(inSnapshot(db, { templatesVersion: version, needsIndex: false }, job), { code })
      t.match(replica.reads, { served: 1, failed })
    }
  }
)

t.test('a replica without a complete index is not read for what needs the index', async t => {
  const { primary, standby } = await startPair(t)
  const db = await openDatabase(primary.url)
  t.teardown(() => db.destroy())
  // With one place for operations, a snapshot that is never ended keeps the next from beginning.
  const replica = await attachReplica(db, standby.url, { databasePoolSize: 2, databaseConnectTimeout: 30 })
  t.teardown(() => replica.destroy())
  const setComplete = async (complete: 0 | 1) => {
    await db.updateTable('product_template_index').set({ complete }).execute()
    await catchUp(standby, primary)
  }
  const version = await readTemplatesVersion(db)
  const open = (needsIndex: boolean) => openSnapshot(db, { templatesVersion: version, needsIndex })
  await setComplete(0)
  for (let tries = 0; tries < 3; tries++) await t.rejects(open(true), { code: 'PTS_NOT_READY' })
  const withoutIndex = await open(false)
  t.equal(withoutIndex.replica, replica)
  await withoutIndex.end()
  await setComplete(1)
  const withIndex = await open(true)
  t.equal(withIndex.replica, replica)
  await withIndex.end()
  t.same(replica.reads, { served: 2, behind: 0, failed: 0 })
})

t.test('what is no replica, or has not the tables yet, is not read', async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const elsewhere = server.url.replace(/[^/]*$/, 'template1')
  const service = await serve(t, ['--demo'], {
    DATABASE_URL: server.url,
    DATABASE_READ_URL: elsewhere,
    ...env
  })
  const token = await accessToken(service.url, user, client)
  const response = await graphqlRequest(service.url, token, { query: '{ products { totalCount } }' })
  t.same(await response.json(), { data: { products: { totalCount: 12 } } })
  t.match(
    await (await fetch(`${service.url}/metrics`)).text(),
    /store_replica_reads_total\{result="failed"\} [1-9]/
  )
})

t.test('a version includes another if none of its counters is behind', async t => {
  for (const [version, other, includes] of [
    ['1:5:a,2:7:b', '1:5:a,2:7:b', true],
    ['1:6:c,2:7:b', '1:5:a,2:7:b', true],
    ['1:6:c,2:6:d', '1:5:a,2:7:b', false],
    ['1:5:x,2:7:b', '1:5:a,2:7:b', false],
    ['1:10:a', '1:9:b', true],
    ['1:5:a', '1:5:a,2:0:b', false],
    ['1:5:a,2:0:b', '1:5:a', true]
  ] as const)
    t.equal(includesVersion(version, other), includes, `${version} ${other}`)
})
