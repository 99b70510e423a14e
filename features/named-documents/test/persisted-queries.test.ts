// Runs on SQLite only.
/** Automatic persisted queries: what is stored for whom, and what else is refused. */
import { createHash } from 'node:crypto'
import { type Test, t } from 'tap'
import type { ServiceOptions } from '../../../index.ts'
import { accessToken, graphqlGet, graphqlRequest, responseJson } from '../../../test/support/http/http.ts'
import { type Changed, changedText, readChanges, subscriber } from '../../../test/support/http/subscriber.ts'
import { addTemplates, addUser, service } from '../../../test/support/service/service.ts'
import { PersistedQueries } from '../persisted-queries.ts'

const names = '{ allProducts { name } }'
const both = { data: { allProducts: [{ name: 'template 1' }, { name: 'template 0' }] } }
const rename = 'mutation { updateProduct(id: 0, input: { name: "new" }) { product { name } } }'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persist = (text: string, more: object = {}) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text), ...more } }
})
const failure = (message: string, code: string) => ({ errors: [{ message, extensions: { code } }] })
const notFound = failure('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
const notSupported = failure('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED')

/** Starts a service with two templates and two users. */
async function start(t: Test, options: ServiceOptions = {}) {
  const { url, db } = await service(t, options)
  await addTemplates(db, {}, {})
  await addUser(db, { email: 'bob@example.com' })
  const tokens = [await accessToken(url), await accessToken(url, { username: 'bob@example.com' })]
  const as = (token = '') => {
    const send = async (body: object | string, headers = {}) => {
      const response = await graphqlRequest(url, token, body, headers)
      return { status: response.status, body: await response.json() }
    }
    const get = (text: string, more: Record<string, string> = {}, headers = {}) => {
      const extensions = JSON.stringify(persist(text).extensions)
      return graphqlGet(url, token, { extensions, ...more }, headers)
    }
    return { send, get, token }
  }
  const [ada, bob] = tokens.map(as) as [ReturnType<typeof as>, ReturnType<typeof as>]
  return { url, db, ada, bob }
}

t.test('a text is sent once, and its SHA-256 from then on, by POST and by GET', async t => {
  const { url, ada } = await start(t)
  t.same(await ada.send(persist(names)), { status: 200, body: notFound })
  t.same(await ada.send(persist(names), responseJson), { status: 200, body: notFound })
  const missing = await ada.get(names)
  t.same(
    [missing.status, missing.headers.get('cache-control'), missing.headers.get('etag')],
    [200, 'no-store', null]
  )
  t.same(await missing.json(), notFound)
  t.same(await ada.send({ query: names, ...persist(names, { miss: true }) }), { status: 200, body: both })
  for (let round = 0; round < 4; round++) {
    t.same(await ada.send({ ...persist(names), query: null }), { status: 200, body: both })
    const response = await ada.get(names)
    t.equal(response.headers.get('cache-control'), 'private, no-cache')
    t.same(await response.json(), both)
    const again = await ada.get(names, {}, { 'if-none-match': response.headers.get('etag') ?? '' })
    t.equal(again.status, 304)
  }
  const another = await accessToken(url)
  t.same(
    await (await graphqlRequest(url, another, persist(names))).json(),
    both,
    'with each token of the user'
  )
})

t.test('variables and the name of the operation belong to the request', async t => {
  const { ada } = await start(t)
  const text = 'query A($id: Int!) { product(id: $id) { id } } query B { allProducts { id } }'
  const one = { operationName: 'A', variables: '{"id":1}' }
  t.same(await (await ada.get(text, { ...one, query: text })).json(), { data: { product: { id: 1 } } })
  for (const id of [0, 1, 0, 0, 1])
    t.same((await ada.send({ ...persist(text), operationName: 'A', variables: { id } })).body, {
      data: { product: { id } }
    })
  t.same((await ada.send({ ...persist(text), operationName: 'B' })).body, {
    data: { allProducts: [{ id: 1 }, { id: 0 }] }
  })
})

t.test('a text with another SHA-256 is refused, and not stored', async t => {
  const { ada } = await start(t)
  const bad = (message: string) => ({
    status: 400,
    body: failure(`extensions.persistedQuery.${message}`, 'BAD_REQUEST')
  })
  const upper = { sha256Hash: sha256(names).toUpperCase() }
  for (const persisted of [
    persist('{ allProducts { id } }'),
    persist(names, { sha256Hash: 'x' }),
    persist(names, upper)
  ])
    t.same(await ada.send({ query: names, ...persisted }), bad('sha256Hash is not the SHA-256 of query'))
  for (const text of [names, '{ allProducts { id } }']) t.same((await ada.send(persist(text))).body, notFound)
  for (const version of [2, '1', null, undefined])
    t.same(await ada.send(persist(names, { version })), bad('version must be 1'))
  for (const sha256Hash of [1, null, undefined, {}, ['x']])
    t.same(
      await ada.send({ query: names, ...persist(names, { sha256Hash }) }),
      bad('sha256Hash must be a string')
    )
  for (const sha256Hash of ['', '__proto__', 'x'.repeat(100_000)])
    t.same((await ada.send(persist(names, { sha256Hash }))).body, notFound)
  const long = `${names} # ${'x'.repeat(20_000)}`
  for (const request of [
    { query: long, ...persist(long) },
    { query: long, ...persist(names) }
  ])
    t.match((await ada.send(request)).body.errors, [{ message: /^the query has more than/ }])
  t.same((await ada.send(persist(long))).body, notFound)
})

t.test('a mutation runs by POST alone, and without the scope not at all', async t => {
  const { url, ada } = await start(t)
  t.equal((await ada.get(rename, { query: rename })).status, 405)
  t.equal((await ada.get(rename)).status, 405)
  const { token } = ada
  t.equal((await graphqlRequest(url, await accessToken(url, { scope: 'write' }), persist(names))).status, 200)
  const reader = await accessToken(url, { scope: 'read' })
  t.match(await (await graphqlRequest(url, reader, persist(rename))).json(), {
    errors: [{ extensions: { code: 'FORBIDDEN' } }]
  })
  t.match(await (await graphqlRequest(url, token, persist(rename))).json(), {
    data: { updateProduct: { product: { name: 'new' } } }
  })
  t.equal((await graphqlRequest(url, token, [persist(names)])).status, 400, 'one operation in a request')
})

t.test('a text is stored also if its response is cached already, however JSON writes the name', async t => {
  for (const name of ['persistedQuery', 'persisted\\u0051uery', '\\u0070ersistedQuery']) {
    const { ada, bob } = await start(t)
    const write = (body: object) => JSON.stringify(body).replace('persistedQuery', name)
    const withText = write({ query: names, ...persist(names) })
    for (let count = 0; count < 4; count++) t.same((await ada.send(withText)).body, both)
    t.same((await bob.send(write(persist(names)))).body, notFound)
    for (let count = 0; count < 4; count++) t.same((await ada.send(write(persist(names)))).body, both)
    t.same((await bob.send(write(persist(names)))).body, notFound, 'nobody learns what others have sent')
    t.same((await bob.send(withText)).body, both)
    t.same((await bob.send(write(persist(names)))).body, both)
  }
})

/** Sends more texts than are stored for a user. */
async function flood({ send }: { send(body: object): Promise<{ status: number }> }, t: Test) {
  for (let count = 0; count < 40; count++) {
    const query = `{ __typename } # ${count} ${'x'.repeat(16_000)}`
    t.equal((await send({ query, ...persist(query) })).status, 200)
  }
}

t.test('a user displaces only texts of their own, the oldest ones', async t => {
  const { ada, bob } = await start(t)
  for (const { send } of [ada, bob]) await send({ query: names, ...persist(names) })
  await flood(ada, t)
  t.same((await ada.send(persist(names))).body, notFound)
  t.same((await bob.send(persist(names))).body, both)
})

t.test('a subscription continues when its text is displaced', async t => {
  const { url, db, ada } = await start(t)
  t.equal((await ada.send({ query: changedText, ...persist(changedText) })).status, 406)
  const request = { variables: { after: 'start' }, ...persist(changedText) }
  const results = subscriber(t, url, ada.token).iterate<{ productChanged: Changed }>(request as never)
  t.match(await readChanges(results, 2), [{ contents: { name: 'template 0' } }, {}])
  await flood(ada, t)
  t.same((await ada.send(persist(changedText))).body, notFound)
  await db.updateTable('product_template').set({ name: 'new' }).where('id', '=', 0).execute()
  t.match(await readChanges(results, 1), [{ contents: { name: 'new' } }])
})

t.test('the texts of all users need a bounded memory', async t => {
  const queries = new PersistedQueries()
  const texts = Array.from({ length: 50 }, (_, index) => `${index} ${'x'.repeat(20_000)}`)
  for (let user = 0; user < 60; user++) for (const text of texts) queries.store(`${user}`, sha256(text), text)
  let size = 0
  for (let user = 0; user < 60; user++)
    for (const text of texts) size += 2 * (queries.find(`${user}`, sha256(text))?.length ?? 0)
  t.ok(size > 2 ** 24 && size < 2 ** 25, `${size} bytes`)
})

t.test('beside trusted documents, and with trusted documents only', async t => {
  const graphqlDocuments = JSON.stringify({ names, [sha256(rename)]: rename })
  const { ada } = await start(t, { graphqlDocuments })
  const ids = '{ allProducts { id } }'
  t.same((await ada.send(persist(ids))).body, notFound)
  const text = { query: ids, ...persist(ids) }
  for (const body of [text, persist(ids)])
    t.match((await ada.send(body)).body.data, { allProducts: [{ id: 1 }, {}] })
  t.same((await ada.send(persist('', { sha256Hash: 'names' }))).body, both)
  t.match((await ada.send(persist(rename))).body.data, { updateProduct: {} })
  t.match((await ada.send({ query: ids, ...persist(names) })).status, 400)
  t.match((await ada.send({ query: ids, ...persist('', { sha256Hash: 'old' }) })).body.data, {
    allProducts: [{}, {}]
  })

  const { ada: only } = await start(t, { graphqlDocuments, graphqlDocumentsOnly: true })
  t.same((await only.send(persist('', { sha256Hash: 'names' }))).body, both)
  for (const body of [
    persist(ids),
    text,
    persist(names),
    { query: names, ...persist('', { sha256Hash: 'names' }) }
  ])
    t.same(await only.send(body, responseJson), { status: 200, body: notSupported })
  t.same(await (await only.get(ids)).json(), notSupported)
})
