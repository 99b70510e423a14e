// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** What is a request, and what is none. */
import { request } from 'node:http'
import { t } from 'tap'
import { accessToken, graphqlRequest, query, refusal } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

t.test('Q01 bodies other than plain JSON are 415', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const type of [
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'application/graphql-response+json',
    'application/jsonp',
    'text/json',
    'application/json; charset=utf-16',
    'json'
  ]) {
    const response = await graphqlRequest(url, token, '{"query":"{ __typename }"}', { 'content-type': type })
    t.equal(response.status, 415, type)
    t.same(Object.keys((await response.json()) as object), ['errors'])
  }
  const compressed = await graphqlRequest(url, token, '{}', { 'content-encoding': 'gzip' })
  t.equal(compressed.status, 415)
})

t.test('Q01 a body without a media type is 415, no body at all 400', async t => {
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

t.test('Q02 the media type is matched without regard to case, and its charset may be UTF-8', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const type of [
    'application/json',
    'Application/JSON;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset="utf-8"'
  ]) {
    const response = await graphqlRequest(url, token, { query: '{ __typename }' }, { 'content-type': type })
    t.equal(response.status, 200, type)
  }
})

t.test('Q05 an invalid GraphQL over HTTP request is 400', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const invalid = 'the request body is not valid JSON'
  const noObject = 'the request must be a JSON object'
  const noString = 'query must be a string'
  const variables = 'variables must be an object or null'
  const operationName = 'operationName must be a string or null'
  const extensions = 'extensions must be an object or null'
  const bodies = [
    ['', 'the request body is empty'],
    ['{', invalid],
    ['[]', noObject],
    ['null', noObject],
    ['"{ __typename }"', noObject],
    ['{}', noString],
    ['{"query":{}}', noString],
    ['{"query":true}', noString],
    ['{"query":1}', noString],
    ['{"query":null}', noString],
    ['{"query":["{ __typename }"]}', noString],
    ['{"query":"{ __typename }","variables":[]}', variables],
    ['{"query":"{ __typename }","variables":"{}"}', variables],
    ['{"query":"{ __typename }","variables":0}', variables],
    [`{"query":"{ __typename }","variables":${'['.repeat(90)}${']'.repeat(90)}}`, variables],
    [`{"query":"{ __typename }","operationName":${'['.repeat(90)}${']'.repeat(90)}}`, operationName],
    ['{"query":"{ __typename }","operationName":1}', operationName],
    ['{"query":"{ __typename }","operationName":{}}', operationName],
    ['{"query":"{ __typename }","extensions":[]}', extensions],
    ['{"query":"{ __typename }","extensions":"x"}', extensions],
    ['{"query":1,"variables":"s3cr3t","extensions":0}', `${noString}; ${variables}; ${extensions}`],
    ['{"query":"{ __typename }","__proto__":{"x":1}}', invalid],
    ['{"extensions":{"persistedQuery":null}}', noString]
  ] as const
  for (const [body, message] of bodies) {
    const response = await graphqlRequest(url, token, body)
    t.equal(response.status, 400, body)
    t.same(await response.json(), { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] }, body)
  }
})

t.test('Q05 null counts as absent', async t => {
  const { url } = await service(t)
  const more = { variables: null, operationName: null, extensions: null }
  t.same((await query(url, await accessToken(url), '{ __typename }', more)).body, {
    data: { __typename: 'Query' }
  })
})

t.test('Q06 several requests in one body are 400', async t => {
  const { url } = await service(t)
  const response = await graphqlRequest(url, await accessToken(url), '[{"query":"{ __typename }"}]')
  t.equal(response.status, 400)
})

t.test('Q09 a JSON text is not accepted as a document', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
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
  const texts = [
    text,
    ` \n${text}`,
    `{\n${text.slice(1)}`,
    `\t[${text}]`,
    '{}',
    '[]',
    '"x"',
    '-1',
    '1',
    'null'
  ]
  for (const given of [...texts, 'true', ' false']) await refusal(t, url, token, given, given)
})

t.test('Q11 the same field twice is one field', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const { body } = await query(
    url,
    await accessToken(url),
    '{ allProducts { id id name } allProducts { name id } }'
  )
  t.same(body, { data: { allProducts: [{ id: 0, name: 'template 0' }] } })
})
