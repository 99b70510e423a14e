// Runs on SQLite only, alone, in test:all only.
/** Large responses, and clients that do not read them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Test, t } from 'tap'
import { accessToken, graphqlGet, graphqlRequest, query, rawPost } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** More than the kernel takes for a client that does not read. */
const text = 'x'.repeat(1_000_000)
const templates = 24
const everything = '{ allProducts { id data } }'
const oneDocument = '{ product(id: 1) { data } }'
const expected = JSON.stringify({
  data: {
    allProducts: Array.from({ length: templates }, (_, index) => ({ id: templates - 1 - index, data: text }))
  }
})

async function largeService(t: Test, options: object = {}) {
  const { app, db, url } = await service(t, options)
  for (let id = 0; id < templates; id++) await addTemplates(db, { id, data: text })
  return { app, url, token: await accessToken(url) }
}

/** A client that reads the beginning of the response and then nothing. */
async function stalledClient(t: Test, url: string, token: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  const body = JSON.stringify({ query: everything })
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`
  ]
  socket.write(rawPost('/graphql', headers, body))
  const [begin] = await once(socket, 'data')
  socket.pause()
  t.match(String(begin), /^HTTP\/1.1 200 OK/)
  return socket
}

t.test('a large response is complete and has its length', async t => {
  const { app, url, token } = await largeService(t)
  const post = await graphqlRequest(url, token, { query: everything })
  t.equal(post.headers.get('content-length'), String(expected.length))
  t.ok((await post.text()) === expected, 'the bytes by POST')
  const get = await graphqlGet(url, token, { query: everything })
  const etag = get.headers.get('etag') ?? ''
  t.ok((await get.text()) === expected, 'the bytes by GET')
  t.equal((await graphqlGet(url, token, { query: everything }, { 'if-none-match': etag })).status, 304)
  const injected = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${token}` },
    payload: { query: everything }
  })
  t.ok(injected.body === expected, 'the bytes by inject')
})

t.test(
  'a response that nobody reads leaves no room for other large ones, until its client is gone',
  async t => {
    const { url, token } = await largeService(t, { graphqlMaxPendingSize: 1_000_000 })
    const stalled = await stalledClient(t, url, token)
    for (const text of [oneDocument, everything]) {
      const refused = await graphqlRequest(url, token, { query: text })
      t.equal(refused.status, 503)
      t.equal(refused.headers.get('retry-after'), '1')
      t.match(await refused.json(), { errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
    }
    t.equal((await query(url, token, '{ allProducts { id } }')).status, 200, 'a small response')
    stalled.destroy()
    await until(async () => (await query(url, token, oneDocument)).status !== 503)
    t.ok((await (await graphqlRequest(url, token, { query: everything })).text()) === expected)
  }
)

t.test('a mutation without memory for its result is not sent again', async t => {
  const { url, token } = await largeService(t, { graphqlMaxPendingSize: 1_000_000 })
  await stalledClient(t, url, token)
  const writing = await accessToken(url, { scope: 'read write' })
  const written = await query(
    url,
    writing,
    `mutation { updateProduct(id: 1, input: { name: "New" }) { product { data } } }`
  )
  t.equal(written.status, 200)
  t.match(written.body, { data: null, errors: [{ extensions: { code: 'RESULT_TOO_LARGE' } }] })
  t.match((await query(url, token, '{ product(id: 1) { name } }')).body, {
    data: { product: { name: 'New' } }
  })
})

t.test('the part that a client has read leaves room at once', async t => {
  const { url, token } = await largeService(t, {
    graphqlMaxPendingSize: 10_000_000,
    graphqlStallTimeout: 3600
  })
  const slow = await stalledClient(t, url, token)
  t.equal((await query(url, token, oneDocument)).status, 503)
  let left = expected.length - 5_000_000
  slow.on('data', bytes => {
    left -= bytes.length
    if (left < 0) slow.pause()
  })
  slow.resume()
  await until(async () => (await query(url, token, oneDocument)).status !== 503)
  t.notOk(slow.destroyed)
})

t.test('a response that is alone is sent whatever its size', async t => {
  const { url, token } = await largeService(t, { graphqlMaxPendingSize: 1024 })
  for (let turn = 0; turn < 3; turn++) {
    const response = await graphqlRequest(url, token, { query: everything })
    t.ok((await response.text()) === expected)
  }
})

t.test('a client that stops reading loses its connection', async t => {
  const { url, token } = await largeService(t, { graphqlMaxPendingSize: 1_000_000, graphqlStallTimeout: 1 })
  const stalled = await stalledClient(t, url, token)
  await until(async () => (await query(url, token, oneDocument)).status !== 503)
  let length = 0
  stalled
    .on('error', () => {})
    .on('data', bytes => {
      length += bytes.length
    })
  stalled.resume()
  await new Promise(resolve => stalled.once('close', resolve))
  t.ok(length < expected.length, `${length} of ${expected.length} bytes`)
})
