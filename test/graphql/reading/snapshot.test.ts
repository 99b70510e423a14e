/** The snapshot of an operation ends with it, whenever that is. */
import { setImmediate } from 'node:timers/promises'
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { openDatabase } from '../../../features/database.ts'
import { productTemplates } from '../../../index.ts'
import { engine, migratedUrl } from '../../support/database/database.ts'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import { queries, start } from '../../support/service/administrator.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  host,
  testLimits
} from '../../support/service/service.ts'

/** One connection for all: nothing works any more if a snapshot is left behind. */
const open = async (t: Test): Promise<Db> =>
  engine === 'sqlite'
    ? openDatabase('sqlite::memory:')
    : openDatabase(await migratedUrl(t), { databasePoolSize: 2, databaseConnectTimeout: 60 })

/**
 * Sends a request to a service with one template, whose client leaves when a statement has read a column. Resolves when
 * the service knows that the client has left, and goes on.
 */
async function leaveAt(t: Test, column: string, request: { query: string }) {
  const opened = await open(t)
  await addUser(opened)
  await addClient(opened)
  await addTemplates(opened, { id: 7 })
  const client = new AbortController()
  const closed = Promise.withResolvers<void>()
  const continued = Promise.withResolvers<void>()
  let isWatched = false
  const db = opened.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isWatched && result.rows[0] && column in result.rows[0]) {
        isWatched = false
        client.abort()
        await closed.promise
        await setImmediate()
        continued.resolve()
      }
      return result
    }
  })
  const app = host(t)
  t.teardown(async () => {
    await app.close()
    await opened.destroy()
  })
  app.addHook('onRequest', (_request, reply, done) => {
    if (isWatched) reply.raw.once('close', closed.resolve)
    done()
  })
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  isWatched = true
  const left = graphqlRequest(origin, token, request, {}, client.signal)
  await t.rejects(left, { name: 'AbortError' })
  await continued.promise
  return { opened, origin, token }
}

t.test('a client that leaves while a snapshot is opened leaves nothing behind', async t => {
  const request = { query: '{ products(where: { name: { startsWith: "t" } }) { nodes { id } } }' }
  // The state of the index, which is read first.
  const { origin, token } = await leaveAt(t, 'pending', request)
  for (let count = 0; count < 4; count++) {
    const { status, body } = await query(origin, token, `query q${count} { allProducts { id } }`)
    t.same([status, body], [200, { data: { allProducts: [{ id: 7 }] } }])
  }
})

t.test('fields that write something first are read in the same snapshot', async t => {
  const db = await open(t)
  await addUser(db)
  await addClient(db)
  await addTemplates(db, { id: 7, data: '{}' })
  const app = host(t)
  t.teardown(async () => {
    await app.close()
    await db.destroy()
  })
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const hash = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
  const { body } = await query(
    origin,
    await accessToken(origin),
    `{ changes { nodes { templateId } } revisionByHash(hash: "${hash}") { templateId } products { nodes { id revisions { nodes { number } } } }
      product(id: 7) { id } allProducts { id } traits { type } }`
  )
  t.same(body.data, {
    changes: { nodes: [{ templateId: 7 }] },
    revisionByHash: { templateId: 7 },
    products: { nodes: [{ id: 7, revisions: { nodes: [{ number: 1 }] } }] },
    product: { id: 7 },
    allProducts: [{ id: 7 }],
    traits: []
  })
})

t.test('an operation that ends while it is admitted does no more work', async t => {
  // Read in a snapshot, before which the feed is published.
  const request = { query: '{ changes { nodes { templateId } } allProducts { id } }' }
  // The number of templates, from which the cost is estimated.
  const { opened, origin, token } = await leaveAt(t, 'count', request)
  // What the operation does wrongly is done before these, which publish nothing.
  for (let count = 0; count < 4; count++) await query(origin, token, `query q${count} { allProducts { id } }`)
  const { position } = await opened
    .selectFrom('product_revision')
    .select('position')
    .executeTakeFirstOrThrow()
  t.equal(position, null)
  const { body } = await query(origin, token, request.query)
  t.same(body.data, { changes: { nodes: [{ templateId: 7 }] }, allProducts: [{ id: 7 }] })
})

t.test('administration beside templates needs no other connection', async t => {
  const db = await open(t)
  t.teardown(() => db.destroy())
  const { ask } = await start(t, { db })
  const { data, errors } = await ask(
    `{ products(first: 1) { totalCount } ${Object.values(queries).join(' ')} }`
  )
  t.same(errors, undefined)
  t.equal(data.products.totalCount, 0)
})
