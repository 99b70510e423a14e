// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** Queries by GET. */
import { t } from 'tap'
import { accessToken, graphqlGet, graphqlRequest, rawRequest, responseJson } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { secret } from '../../support/service/secrets.ts'
import { addTemplates, service } from '../../support/service/service.ts'

t.test('a query by GET returns the same bytes as by POST', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { name: 'é 🍏' }, {})
  const token = await accessToken(url)
  const query = '{ allProducts { id name data } }'
  const [byGet, byPost] = [
    await graphqlGet(url, token, { query }),
    await graphqlRequest(url, token, { query })
  ]
  t.same([byGet.status, byPost.status], [200, 200])
  t.equal(await byGet.text(), await byPost.text())
})

t.test('variables and extensions are JSON in the URL, an empty operation name counts as absent', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const query = 'query A ($skip: Boolean!) { a: __typename b: __typename @skip(if: $skip) }'
  for (const more of [
    {},
    { operationName: 'A' },
    { operationName: '' },
    { extensions: '{"x":1}' },
    { extensions: 'null' }
  ]) {
    const response = await graphqlGet(url, token, { query, variables: '{"skip":true}', ...more })
    t.same(await response.json(), { data: { a: 'Query' } }, JSON.stringify(more))
  }
})

t.test('Q05 an invalid request by GET is 400', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const query = '{ __typename }'
  const wrong: ([string, string][] | Record<string, string>)[] = [
    {},
    { query, variables: '{' },
    { query, variables: '' },
    { query, variables: '[]' },
    { query, variables: '"x"' },
    { query, variables: '{"__proto__":{"x":1}}' },
    { query, extensions: '1' },
    [
      ['query', query],
      ['query', query]
    ],
    [
      ['query', query],
      ['operationName', 'A'],
      ['operationName', 'B']
    ]
  ]
  for (const parameters of wrong) {
    const response = await graphqlGet(url, token, parameters)
    t.equal(response.status, 400, JSON.stringify(parameters))
    t.match(await response.json(), { errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
  }
})

t.test('Q03 other methods are 405 and say which ones are allowed', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const response = await fetch(`${url}/graphql?query={allProducts{id}}`, { method, headers })
      t.equal(response.status, 405, method)
      t.equal(response.headers.get('allow'), 'GET, POST')
    }
  }
})

t.test(
  'Q03 a mutation by GET is 405, whichever way it is asked for, and is not looked at by HEAD',
  async t => {
    const { url } = await service(t)
    const token = await accessToken(url)
    const two = 'query A { __typename } mutation B { __typename }'
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      for (const parameters of [{ query: 'mutation { __typename }' }, { query: two, operationName: 'B' }]) {
        const response = await graphqlGet(url, token, parameters, { accept })
        t.equal(response.status, 405, parameters.query)
        t.equal(response.headers.get('allow'), 'POST')
        t.match(await response.json(), { errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] })
      }
      t.equal((await graphqlGet(url, token, { query: two, operationName: 'A' }, { accept })).status, 200)
    }
  }
)

t.test('Q15 by GET, a document whose operation cannot be determined is 400', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const query = 'query A { __typename } query B { __typename }'
  for (const headers of [{}, responseJson]) {
    for (const more of [{}, { operationName: '' }, { operationName: 'C' }]) {
      const response = await graphqlGet(url, token, { query, ...more }, headers)
      t.equal(response.status, 400)
      t.match(await response.json(), { errors: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] })
    }
  }
})

t.test('a response has a strong ETag, and 304 avoids sending it again', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const token = await accessToken(url)
  const parameters = { query: '{ allProducts { id name } }' }
  const first = await graphqlGet(url, token, parameters)
  const etag = first.headers.get('etag') as string
  t.match(etag, /^"[^"]+"$/)
  t.equal(first.headers.get('cache-control'), 'private, no-cache')
  t.equal(first.headers.get('vary'), 'Accept, Accept-Encoding, Authorization')

  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/"x" ,${etag}`, '*']) {
    const again = await graphqlGet(url, token, parameters, { 'if-none-match': known })
    t.equal(again.status, 304, known)
    t.equal(await again.text(), '')
    t.equal(again.headers.get('etag'), etag)
    t.equal(again.headers.get('cache-control'), 'private, no-cache')
    t.equal(again.headers.get('vary'), 'Accept, Accept-Encoding, Authorization')
    t.equal(again.headers.get('content-type'), null)
  }
  for (const other of ['"other"', etag.slice(1, -1), etag.replace(/^"./, '"'), '']) {
    const whole = await graphqlGet(url, token, parameters, { 'if-none-match': other })
    t.equal(whole.status, 200, other)
  }
})

t.test('the ETag differs for other bytes, another media type and other data', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const token = await accessToken(url)
  const etag = async (query: string, headers = {}) =>
    (await graphqlGet(url, token, { query }, headers)).headers.get('etag') as string
  const before = await etag('{ allProducts { id name } }')
  t.equal(await etag('query { allProducts { id name } }'), before, 'the same bytes, the same tag')
  t.not(await etag('{ allProducts { id } }'), before)
  t.not(await etag('{ allProducts { id name } }', responseJson), before)
  await db.updateTable('product_template').set({ name: 'renamed' }).execute()
  const changed = await graphqlGet(
    url,
    token,
    { query: '{ allProducts { id name } }' },
    { 'if-none-match': before }
  )
  t.equal(changed.status, 200)
  t.same(await changed.json(), { data: { allProducts: [{ id: 0, name: 'renamed' }] } })
})

t.test('a response with errors and any by POST has no ETag and is not cached', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const query = '{ allProducts { id } }'
  const kept = ({ headers }: Response) => [headers.get('cache-control'), headers.get('etag')]
  t.same(kept(await graphqlRequest(url, token, { query })), ['no-store', null])
  t.same(kept(await graphqlGet(url, token, { query: '{' }, { 'if-none-match': '*' })), ['no-store', null])
  await db.schema.alterTable('product_template').renameTo('gone').execute()
  const failed = await graphqlGet(url, token, { query }, { 'if-none-match': '*' })
  t.same(kept(failed), ['no-store', null])
  t.equal(failed.status, 200)
})

t.test('a known ETag without a valid token is 401', async t => {
  const { url } = await service(t)
  const query = '{ __typename }'
  for (const headers of [{ 'if-none-match': '*' }, {}]) {
    t.equal((await graphqlGet(url, 'nonsense', { query }, headers)).status, 401)
    t.equal((await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers })).status, 401)
  }
})

t.test('B05 B06 by GET, a token in the URL is ignored; a second one in the URL is 400', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const parameters = { query: '{ __typename }', access_token: token }
  t.equal((await fetch(`${url}/graphql?${new URLSearchParams(parameters)}`)).status, 401)
  t.equal((await graphqlGet(url, token, parameters)).status, 400)
})

t.test('the query string is not logged', async t => {
  const { url, lines } = await loggedService(t)
  const token = await accessToken(url)
  const hidden = secret('in a query')
  for (const query of [
    `query ($unused: String) { __typename } # ${hidden}`,
    `query ($x: String) { __typename } # ${hidden}`,
    `mutation { __typename } # ${hidden}`,
    `{ # ${hidden}`
  ]) {
    await graphqlGet(url, token, { query, variables: JSON.stringify({ x: hidden }) })
    await graphqlGet(url, token, { query, variables: hidden })
    await fetch(`${url}/graphql?${new URLSearchParams({ query })}`)
  }
  t.match(lines.filter(({ msg }) => msg === 'incoming request').at(-1), {
    req: { method: 'GET', path: '/graphql' }
  })
  t.notMatch(JSON.stringify(lines), /s3cr3t|__typename/)
})

t.test('a URL over the header limit is refused', async t => {
  const { url } = await service(t)
  const answer = await rawRequest(
    url,
    `GET /graphql?query=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
  )
  t.match(answer, /^HTTP\/1\.1 (414|431) /)
})
