import { request } from 'node:http'
import { t } from 'tap'
import { accessToken, graphqlRequest, query } from '../http.ts'
import { addTemplates, service } from '../service.ts'

t.test('bodies other than JSON are refused', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const types = [
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/graphql'
  ]
  for (const type of types) {
    const response = await graphqlRequest(url, token, 'query=%7B__typename%7D', { 'content-type': type })
    t.equal(response.status, 415, type)
    t.same(Object.keys((await response.json()) as object), ['errors'])
  }
})

t.test('a body without a media type, and no body at all, are refused', async t => {
  const { url } = await service(t)
  const authorization = `Bearer ${await accessToken(url)}`
  const send = (body?: string, headers: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        `${url}/graphql`,
        { method: 'POST', headers: { authorization, ...headers } },
        answer => {
          answer.resume()
          resolve(answer.statusCode)
        }
      )
      sent.once('error', reject)
      sent.end(body)
    })
  t.equal(await send('{"query":"{ __typename }"}'), 415)
  t.equal(await send(), 400)
  t.equal(await send(undefined, { 'content-type': 'application/json' }), 400)
})

t.test('what is no request of GraphQL over HTTP is 400', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const bodies = [
    '{',
    '[]',
    'null',
    '"{ __typename }"',
    '{}',
    '[{"query":"{ __typename }"}]',
    '{"query":1}',
    '{"query":null}',
    '{"query":["{ __typename }"]}',
    '{"query":"{ __typename }","variables":[]}',
    '{"query":"{ __typename }","variables":"{}"}',
    '{"query":"{ __typename }","operationName":1}',
    '{"query":"{ __typename }","extensions":[]}',
    '{"query":"{ __typename }","__proto__":{"x":1}}'
  ]
  for (const body of bodies) {
    const response = await graphqlRequest(url, token, body)
    t.equal(response.status, 400, body)
    t.same(Object.keys((await response.json()) as object), ['errors'], body)
  }
})

t.test('a document that cannot run has errors, no data, and no suggestions', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const text of [
    '',
    '{',
    '{ allProduct { id } }',
    '{ allProducts }',
    'query A { __typename } query B { __typename }',
    'mutation { x }',
    'subscription { x }'
  ]) {
    const { body } = await query(url, token, text)
    t.same(Object.keys(body), ['errors'], text)
  }
  t.notMatch(JSON.stringify((await query(url, token, '{ allProduct { id } }')).body), /Did you mean/)
})

t.test('a JSON text is no document', async t => {
  const { url } = await service(t)
  const text = JSON.stringify({
    kind: 'Document',
    definitions: [
      {
        kind: 'OperationDefinition',
        operation: 'query',
        selectionSet: {
          kind: 'SelectionSet',
          selections: [{ kind: 'Field', name: { kind: 'Name', value: '__typename' } }]
        }
      }
    ]
  })
  for (const given of [text, ` \n${text}`, `{\n${text.slice(1)}`]) {
    const { body } = await query(url, await accessToken(url), given)
    t.same(Object.keys(body), ['errors'])
  }
})

t.test('limits: length, tokens, depth', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const deep = `{ __schema { types { ${'ofType { '.repeat(20)} name ${'} '.repeat(20)} } } }`
  for (const text of [`{ __typename } # ${'x'.repeat(17_000)}`, `{ ${'__typename '.repeat(1100)} }`, deep]) {
    const { body } = await query(url, token, text)
    t.same(Object.keys(body), ['errors'])
  }
  t.same((await query(url, token, `{ ${'__typename '.repeat(50)} }`)).body, {
    data: { __typename: 'Query' }
  })
})

t.test('20,000 open braces are refused at once', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const text of ['{a'.repeat(20_000), '['.repeat(20_000)]) {
    t.same(Object.keys((await query(url, token, text)).body), ['errors'])
  }
})

t.test('a body over 1 MiB is 413', async t => {
  const { url } = await service(t)
  const response = await graphqlRequest(url, await accessToken(url), { query: 'x'.repeat(1024 * 1024) })
  t.equal(response.status, 413)
})

t.test('a database error is masked', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  await db.schema.dropTable('product_template').execute()
  const { status, body } = await query(url, token, '{ allProducts { id } }')
  t.equal(status, 200)
  t.match(body, {
    data: null,
    errors: [
      {
        message: 'internal server error',
        path: ['allProducts'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' }
      }
    ]
  })
  t.notMatch(JSON.stringify(body), /product_template|sqlite|no such/i)
})

t.test('other methods are 405 and say which one is allowed', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${url}/graphql?query={allProducts{id}}`, { method })
    t.equal(response.status, 405, method)
    t.equal(response.headers.get('allow'), 'POST')
  }
})
