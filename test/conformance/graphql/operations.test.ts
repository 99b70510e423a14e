// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** Which operation of a document runs, and for whom. */
import { t } from 'tap'
import { accessToken, graphqlGet, graphqlRequest, query } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const document = 'query A { a: __typename } query B { b: allProducts { id } }'
const expected = { A: { data: { a: 'Query' } }, B: { data: { b: [{ id: 0 }] } } }

t.test('of several operations the named one runs, however often and in whatever order', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const token = await accessToken(url)
  const names = [...'ABBABAAABBBA'] as ('A' | 'B')[]
  for (const operationName of names) {
    t.same((await query(url, token, document, { operationName })).body, expected[operationName])
    const byGet = await graphqlGet(url, token, { query: document, operationName })
    t.same(await byGet.json(), expected[operationName])
  }
})

t.test('... and concurrently', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const token = await accessToken(url)
  const names = Array.from({ length: 60 }, (_, index) => (index % 3 ? 'A' : 'B') as 'A' | 'B')
  const answers = await Promise.all(
    names.map(async operationName => (await query(url, token, document, { operationName })).body)
  )
  t.same(
    answers,
    names.map(name => expected[name])
  )
})

t.test('the variables are those of the operation that runs', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const text =
    'query A ($x: Boolean!) { a: __typename @skip(if: $x) } query B ($x: Boolean = true) { b: __typename @include(if: $x) }'
  t.same((await query(url, token, text, { operationName: 'B' })).body, { data: { b: 'Query' } })
  t.match((await query(url, token, text, { operationName: 'A' })).body, {
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }]
  })
  t.same((await query(url, token, text, { operationName: 'A', variables: { x: false } })).body, {
    data: { a: 'Query' }
  })
})

t.test('a directive with a null variable is refused before anything runs', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const field of [
    'viewer { name',
    'allProducts { id',
    'traits { type',
    'products(first: 1) { totalCount'
  ]) {
    const text = `query ($x: Boolean = true) { ${field} @include(if: $x) } }`
    const { body } = await query(url, token, text, { variables: { x: null } })
    t.match(body, { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }, field)
    t.notOk('data' in body, field)
  }
})

t.test('a token without the scope read gets no data', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { name: 'not for everybody' })
  const reader = await accessToken(url)
  const token = await accessToken(url, { scope: 'write' })
  for (const [text, operationName] of [
    ['{ allProducts { name } }', undefined],
    ['{ x: allProducts { y: name } }', undefined],
    [
      '{ ...F } fragment F on Query { allProducts { ...G } } fragment G on ProductTemplate { name }',
      undefined
    ],
    ['{ ... on Query { allProducts { ... { name } } } }', undefined],
    ['query A { __typename } query B { allProducts { name } }', 'B'],
    ['mutation A { __typename } query B { allProducts { name } }', 'B'],
    ['{ __schema { types { name } } }', undefined],
    ['{ __typename }', undefined]
  ] as const) {
    const parameters = { query: text, ...(operationName && { operationName }) }
    for (const response of [
      await graphqlRequest(url, token, parameters),
      await graphqlGet(url, token, parameters),
      await graphqlGet(url, token, parameters, { 'if-none-match': '*' })
    ]) {
      t.equal(response.status, 403, text)
      t.match(response.headers.get('www-authenticate'), /error="insufficient_scope", scope="read"/)
      t.notMatch(await response.text(), /data|everybody/)
    }
    const head = await fetch(`${url}/graphql?${new URLSearchParams(parameters)}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` }
    })
    t.equal(head.status, 405)
    t.equal((await graphqlRequest(url, reader, parameters)).status, 200, 'a reader may')
  }
})
