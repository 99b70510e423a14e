// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** The media type of the answer, and the status it brings. */
import { t } from 'tap'
import { accessToken, graphqlGet, graphqlRequest, rawPost, rawRequest } from '../../support/http/http.ts'
import { service } from '../../support/service/service.ts'

const older = 'application/json; charset=utf-8'
const newer = 'application/graphql-response+json; charset=utf-8'

t.test('Q04 the answer is of the type that Accept prefers', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const [accept, expected] of [
    ['*/*', older],
    ['application/*', older],
    ['application/json', older],
    ['application/json; charset=utf-8', older],
    ['APPLICATION/JSON', older],
    ['text/html, */*', older],
    ['text/html, application/json;q=0.1', older],
    ['application/json, */*', older],
    ['application/json, application/graphql-response+json;q=0.9', older],
    ['application/graphql-response+json;q=0, */*', older],
    ['application/graphql-response+json', newer],
    ['Application/GraphQL-Response+JSON ; charset=utf-8', newer],
    ['application/graphql-response+json, application/json;q=0.9', newer],
    ['application/json;q=0.9,application/graphql-response+json;q=1.000', newer],
    ['application/graphql-response+json, application/json', newer],
    ['application/json, application/graphql-response+json', newer],
    ['application/graphql-response+json, */*', newer],
    ['application/graphql-response+json, application/*;q=0.9, */*;q=0.1', newer],
    ['application/json;q=0, application/*', newer]
  ] as const) {
    for (const send of [
      () => graphqlRequest(url, token, { query: '{ __typename }' }, { accept }),
      () => graphqlGet(url, token, { query: '{ __typename }' }, { accept })
    ]) {
      const response = await send()
      t.equal(response.status, 200, accept)
      t.equal(response.headers.get('content-type'), expected, accept)
      t.match(response.headers.get('vary'), /Accept/)
      t.same(await response.json(), { data: { __typename: 'Query' } })
    }
  }
})

t.test('Q04 a client that accepts neither type gets 406', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const accept of [
    'text/html',
    'text/*',
    'application/xml, text/html;q=0.9',
    '*/*;q=0',
    'application/json;q=0',
    'application/json;q=0, application/graphql-response+json;q=0.0, */*',
    'application/json;q=2',
    'json'
  ]) {
    const response = await graphqlRequest(url, token, '{ not even JSON', { accept })
    t.equal(response.status, 406, accept)
    t.match(await response.json(), { errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] })
    t.equal((await graphqlGet(url, token, { query: '{ __typename }' }, { accept })).status, 406, accept)
  }
})

t.test('Q04 without Accept it is application/json', async t => {
  const { url } = await service(t)
  const body = '{"query":"{ __typename }"}'
  for (const accept of [[], ['Accept:']]) {
    const headers = [
      `Authorization: Bearer ${await accessToken(url)}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...accept
    ]
    const answer = await rawRequest(url, rawPost('/graphql', headers, body))
    t.match(answer, /^HTTP\/1\.1 200 /)
    t.match(answer, /\r\ncontent-type: application\/json; charset=utf-8\r\n/i)
  }
})

t.test('errors also have the accepted type, and are not cached', async t => {
  const { url } = await service(t)
  for (const [accept, expected] of [
    ['application/graphql-response+json', newer],
    ['*/*', older],
    ['text/html', older]
  ] as const) {
    const response = await graphqlRequest(url, 'nonsense', '{', { accept })
    t.equal(response.status, 401)
    t.equal(response.headers.get('content-type'), expected)
    t.equal(response.headers.get('cache-control'), 'no-store')
    t.same(Object.keys((await response.json()) as object), ['errors'])
  }
})
