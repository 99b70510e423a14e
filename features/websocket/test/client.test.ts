// Runs in test:all only.
/** GraphQL over WebSocket with the client of graphql-ws. */
import { t } from 'tap'
import { WebSocket } from 'ws'
import type { Db } from '../../../db/schema.ts'
import { clients } from '../../../store.ts'
import { accessToken, basic, query } from '../../../test/support/http/http.ts'
import { type Changed, changedText } from '../../../test/support/http/subscriber.ts'
import { addTemplates, client as oauthClient } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { createSubscriber, start } from './socket.ts'

const rename = (db: Db, id: number, name: string) =>
  db.updateTable('product_template').set({ name }).where('id', '=', id).execute()

type Subscriber = ReturnType<typeof createSubscriber>

const subscribe = (client: Subscriber, variables: Record<string, unknown> = {}) =>
  client.iterate<{ productChanged: Changed }>({ query: changedText, variables })

async function nextChange(results: ReturnType<typeof subscribe>): Promise<Changed> {
  const { value, done } = await results.next()
  if (done || !value.data || value.errors) throw new Error(`no change: ${JSON.stringify(value)}`)
  return value.data.productChanged
}

t.test('changes come in order, and another socket continues after a cursor', async t => {
  const { db, url, token } = await start(t, { prefix: '/shop' })
  const client = createSubscriber(t, url, token)
  const results = subscribe(client, { after: 'start' })
  const first = await nextChange(results)
  t.match(first, { templateId: 1, revision: 1, action: 'INSERT', contents: { name: 'first' } })
  await rename(db, 1, 'second')
  t.match(await nextChange(results), { revision: 2, action: 'UPDATE', contents: { name: 'second' } })
  await client.dispose()
  await rename(db, 1, 'third')

  const again = subscribe(createSubscriber(t, url, token), { after: first.cursor })
  t.same([(await nextChange(again)).revision, (await nextChange(again)).revision], [2, 3])
})

t.test('subscriptions of a socket are independent, and end without the others', async t => {
  const { db, url, token } = await start(t)
  const client = createSubscriber(t, url, token)
  const all = subscribe(client, { after: 'start' })
  const some = subscribe(client, { after: 'start', where: { id: { equals: 2 } } })
  await nextChange(all)
  await addTemplates(db, { id: 2, name: 'other' })
  t.match([await nextChange(all), await nextChange(some)], [{ templateId: 2 }, { templateId: 2 }])
  await some.return?.()
  await rename(db, 1, 'later')
  t.match(await nextChange(all), { templateId: 1, contents: { name: 'later' } })
})

t.test('queries and mutations run as by HTTP', async t => {
  const { url, token } = await start(t)
  const client = createSubscriber(t, url, token)
  const run = async (text: string, variables = {}) => {
    const results = client.iterate({ query: text, variables })
    const { value } = await results.next()
    return { value, end: await results.next() }
  }
  t.same(await run('{ allProducts { name } }'), {
    value: { data: { allProducts: [{ name: 'first' }] } },
    end: { done: true, value: undefined }
  })
  const write = 'mutation { updateProduct(id: 1, input: { name: "new" }) { product { name } } }'
  const written = await run(write)
  t.same(written.value, { data: { updateProduct: { product: { name: 'new' } } } })
  const { body } = await query(url, token, '{ allProducts { name } }')
  t.same(body.data.allProducts, [{ name: 'new' }])
  const refused = (text: string) => run(text).catch(errors => errors)
  t.match(await refused('{ unknown }'), [{ message: /Cannot query field/ }])
  t.match(await refused('{ allProducts { name } '), [{ message: /Syntax Error/ }])
})

t.test('rights are those of the token', async t => {
  const { url } = await start(t)
  const token = await accessToken(url, { scope: 'read' })
  const client = createSubscriber(t, url, token)
  const results = client.iterate({ query: 'mutation { deleteProduct(id: 1) { userErrors { code } } }' })
  t.match((await results.next()).value, { errors: [{ extensions: { reason: 'MISSING_SCOPE' } }] })
  const writer = createSubscriber(t, url, await accessToken(url, { scope: 'write' }))
  await t.rejects(subscribe(writer).next(), { code: 4403 })
})

t.test('the token may be in the header of the upgrade', async t => {
  const { url, token } = await start(t)
  class WithHeader extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { headers: { authorization: `Bearer ${token}` } })
    }
  }
  const client = createSubscriber(t, url, undefined, { webSocketImpl: WithHeader })
  t.match(await nextChange(subscribe(client, { after: 'start' })), { templateId: 1 })
  const twice = createSubscriber(t, url, token, { webSocketImpl: WithHeader })
  await t.rejects(subscribe(twice).next(), { code: 4403 })
})

t.test('a revoked token ends its sockets at once, with or without subscriptions', async t => {
  const { db, url, token } = await start(t, { changesHeartbeat: 300 })
  const other = await accessToken(url)
  const ends: number[] = []
  const closed = (event: unknown) => void ends.push((event as { code: number }).code)
  const busy = createSubscriber(t, url, token, { on: { closed } })
  const results = subscribe(busy, { after: 'start' })
  await nextChange(results)
  const { promise: isIdle, resolve: connected } = Promise.withResolvers<unknown>()
  createSubscriber(t, url, token, { lazy: false, onNonLazyError: () => {}, on: { connected, closed } })
  const stays = createSubscriber(t, url, other)
  const staying = subscribe(stays, { after: 'start' })
  await nextChange(staying)
  await isIdle
  const body = new URLSearchParams({ token })
  await fetch(`${url}/oauth/revoke`, { method: 'POST', headers: { authorization: basic() }, body })
  await t.rejects(results.next(), { code: 4403, reason: 'the access token is not valid any more' })
  await until(() => ends.length === 2)
  t.same(ends, [4403, 4403])
  await rename(db, 1, 'after')
  t.match(await nextChange(staying), { revision: 2 })
  await clients.disable(db, oauthClient.id)
  await t.rejects(staying.next(), { code: 4403 })
})

t.test('an expired token ends its sockets', async t => {
  // Seconds: enough for a busy machine to open the socket.
  const { url } = await start(t, { accessTokenTtl: 10, changesHeartbeat: 300 })
  const client = createSubscriber(t, url, await accessToken(url))
  const results = subscribe(client, { after: 'start' })
  await nextChange(results)
  await t.rejects(results.next(), { code: 4403 })
})

t.test('a shutdown ends the sockets with a code after which clients connect again', async t => {
  const { app, url, token } = await start(t)
  const client = createSubscriber(t, url, token)
  const results = subscribe(client, { after: 'start' })
  await nextChange(results)
  const begun = performance.now()
  const ended = t.rejects(results.next(), { code: 1001 })
  await app.close()
  await ended
  t.ok(performance.now() - begun < 25_000, 'ws would wait 30 seconds for a client')
})
