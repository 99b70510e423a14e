// Runs on SQLite only.
/** Trusted documents: what a manifest may be, and how clients send its identifiers. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getIntrospectionQuery } from 'graphql'
import { type Test, t } from 'tap'
import type { ServiceOptions } from '../../../index.ts'
import { directory, migratedUrl } from '../../../test/support/database/database.ts'
import {
  accessToken,
  graphqlGet,
  graphqlRequest,
  refusal,
  responseJson
} from '../../../test/support/http/http.ts'
import { call, connect } from '../../../test/support/http/mcp.ts'
import { run, serve } from '../../../test/support/service/process.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'

const names = '{ allProducts { name } }'
const several = 'query A($id: Int!) { product(id: $id) { name } } query B { allProducts { id } }'
const rename = 'mutation { updateProduct(id: 0, input: { name: "new" }) { product { name } } }'
const manifest = { names, several, rename }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Starts a service with two templates. */
async function start(t: Test, documents: object | string = manifest, options: ServiceOptions = {}) {
  const graphqlDocuments = typeof documents === 'string' ? documents : JSON.stringify(documents)
  const { url, db } = await service(t, { graphqlDocuments, ...options })
  await addTemplates(db, {}, {})
  const token = await accessToken(url)
  const send = async (body: object | string, headers = {}) => {
    const response = await graphqlRequest(url, token, body, headers)
    return { status: response.status, body: await response.json() }
  }
  return { url, token, send, get: (parameters: Record<string, string>) => graphqlGet(url, token, parameters) }
}

const both = { data: { allProducts: [{ name: 'template 1' }, { name: 'template 0' }] } }

t.test('a document is sent by its identifier or its SHA-256, by POST and by GET', async t => {
  const { send, get } = await start(t)
  for (const documentId of ['names', `sha256:${sha256(names)}`]) {
    t.same(await send({ documentId }), { status: 200, body: both })
    t.same(await send({ documentId, query: null, variables: {}, extensions: {} }), {
      status: 200,
      body: both
    })
    const response = await get({ documentId })
    t.same(await response.json(), both)
    t.match(response.headers.get('etag'), /^"/)
  }
  t.same(await send({ query: names }), { status: 200, body: both }, 'texts are still allowed')
  const one = { data: { product: { name: 'template 1' } } }
  const parameters = { documentId: 'several', operationName: 'A' }
  t.same((await send({ ...parameters, variables: { id: 1 } })).body, one)
  t.same(await (await get({ ...parameters, variables: '{"id":1}' })).json(), one)
})

t.test('wrong identifiers are refused', async t => {
  const { url, token, send, get } = await start(t)
  for (const documentId of ['unknown', '', '__proto__', 'constructor', 'NAMES', 'x'.repeat(1_000_000)]) {
    const [error] = await refusal(t, url, token, { documentId }, documentId.slice(0, 20))
    t.equal(error?.extensions.code, 'PERSISTED_QUERY_NOT_FOUND')
    t.ok((error?.message.length ?? 100) < 100, 'the message does not quote it')
  }
  for (const [body, message] of [
    ['{"documentId":1}', 'documentId must be a string or null'],
    ['{"documentId":["names"]}', 'documentId must be a string or null'],
    ['{"documentId":{}}', 'documentId must be a string or null'],
    [
      '{"documentId":"names","query":"{ __typename }"}',
      'documentId and query exclude each other: send one of them'
    ],
    ['{"documentId":"names","variables":[]}', 'variables must be an object or null'],
    ['{"documentId":null}', 'query or documentId must be a string'],
    ['{}', 'query or documentId must be a string']
  ] as const)
    t.same(
      await send(body),
      { status: 400, body: { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] } },
      body
    )
  t.equal((await get({ documentId: 'rename' })).status, 405, 'a mutation by GET')
  t.equal((await get({ documentId: 'several' })).status, 400, 'which of several')
  t.equal(
    (
      await graphqlGet(url, token, [
        ['documentId', 'a'],
        ['documentId', 'b']
      ])
    ).status,
    400
  )
  t.match((await send({ documentId: 'several' })).body.errors, [
    { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }
  ])
  t.equal((await graphqlRequest(url, 'wrong', { documentId: 'names' })).status, 401)
})

t.test('without a manifest, documentId is not a parameter', async t => {
  const { url } = await service(t)
  const response = await graphqlRequest(url, await accessToken(url), {
    documentId: 'x',
    query: '{ __typename }'
  })
  t.same(await response.json(), { data: { __typename: 'Query' } })
})

t.test(
  'GRAPHQL_DOCUMENTS_ONLY refuses every text, also for introspection; MCP has documents of its own',
  async t => {
    const options = { graphqlDocumentsOnly: true, mcp: true, graphqlIntrospection: true }
    const { url, token, send, get } = await start(t, manifest, options)
    t.same((await send({ documentId: 'names' })).body, both)
    for (const request of [{ query: names }, { query: getIntrospectionQuery() }, { query: '{' }, {}]) {
      const [error] = await refusal(t, url, token, request)
      t.equal(error?.extensions.code, 'PERSISTED_QUERY_ID_REQUIRED')
    }
    t.equal((await send({ documentId: 'names', query: names })).status, 400)
    t.match(await (await get({ query: names })).json(), {
      errors: [{ extensions: { code: 'PERSISTED_QUERY_ID_REQUIRED' } }]
    })
    const mcp = await connect(t, url, await accessToken(url, { scope: 'read write', resource: `${url}/mcp` }))
    t.match(await call(mcp, 'get_template', { id: 1 }), {
      isError: false,
      data: { product: { name: 'template 1' } }
    })
  }
)

t.test('the setting needs documents and excludes the explorer', async t => {
  const graphqlDocuments = JSON.stringify(manifest)
  await t.rejects(service(t, { graphqlDocumentsOnly: true }), {
    message: 'graphqlDocuments is missing: graphqlDocumentsOnly needs it'
  })
  await t.rejects(service(t, { graphqlDocuments, graphqlDocumentsOnly: true, explorer: true }), {
    message: /^explorer must be false: it sends its own documents/
  })
})

t.test(
  'a manifest that cannot be used keeps the service from starting, and the error names the document',
  async t => {
    const apollo = (operations: unknown, more = {}) =>
      JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations, ...more })
    for (const [documents, reason] of [
      ['{', 'it is not JSON'],
      ['[]', 'it must be an object'],
      ['/nowhere.json', 'ENOENT'],
      ['{"a":{}}', 'document "a": it must be a string'],
      ['{"__proto__":null}', 'document "__proto__": it must be a string'],
      [`{"a":"${names}","\\u0061":"${several}"}`, 'two documents have the same id "a"'],
      ['{"a":"{"}', 'document "a": Syntax Error: Expected Name, found <EOF>.'],
      ['{"a":""}', 'document "a": Syntax Error: Unexpected <EOF>.'],
      [`{"ok":"${names}","b":"{ nothing }"}`, 'document "b": Cannot query field "nothing" on type "Query".'],
      [`{"sha256:00":"${names}"}`, 'document "sha256:00": the identifier is not its SHA-256'],
      [`{"a":"{ ${'a: __typename '.repeat(16)} }"}`, 'document "a": the operation has more than 15 aliases'],
      [
        `{"a":"{ ${'__typename '.repeat(999)} }"}`,
        /^document "a": Syntax Error: Document contains more that 1000 tokens/
      ],
      [`{"a":"# ${'x'.repeat(17_000)}"}`, 'document "a": the query has more than 16384 characters'],
      [
        apollo([
          { id: 'a', body: names },
          { id: 'a', body: names }
        ]),
        'two documents have the same id "a"'
      ],
      [apollo([{ id: 1, body: names }]), 'operation 1: id must be a string'],
      [apollo([null]), 'operation 1: id must be a string'],
      [apollo([{ id: 'a' }]), 'document "a": it must be a string'],
      [apollo([], { version: 2 }), 'format must be apollo-persisted-query-manifest and version 1']
    ] as const) {
      const message =
        typeof reason === 'string'
          ? `GRAPHQL_DOCUMENTS cannot be used: ${reason}`
          : new RegExp(`cannot be used: ${reason.source.slice(1)}`)
      await t.rejects(
        service(t, { graphqlDocuments: documents }),
        { code: 'PTS_BAD_DOCUMENTS', message },
        String(reason)
      )
    }
  }
)

t.test('the process says so, and ends with 2', async t => {
  const file = join(await directory(t), 'manifest.json')
  await writeFile(file, '{"greeting":"{ hello }"}')
  const env = { DATABASE_URL: await migratedUrl(t), GRAPHQL_DOCUMENTS: file }
  const { code, stderr } = await run(t, ['serve'], env)
  t.equal(code, 2)
  t.match(stderr, /GRAPHQL_DOCUMENTS cannot be used: document "greeting": Cannot query field "hello"/)
  const only = await run(t, ['serve'], { ...env, GRAPHQL_DOCUMENTS_ONLY: 'true' })
  t.match([only.code, only.stderr], [2, /EXPLORER must be false/])
  await writeFile(file, JSON.stringify(manifest))
  const { url } = await serve(t, [], { ...env, GRAPHQL_DOCUMENTS_ONLY: 'true', EXPLORER: 'false' })
  t.equal((await fetch(`${url}/readyz`)).status, 200)
})

t.test('a name of Object.prototype is an identifier like others', async t => {
  const { send } = await start(t, `{"__proto__":"${names}","constructor":"{ allProducts { id } }"}`)
  t.same((await send({ documentId: '__proto__' })).body, both)
  t.same((await send({ documentId: 'constructor' })).body, { data: { allProducts: [{ id: 1 }, { id: 0 }] } })
})

t.test('10,000 documents', async t => {
  const many = Array.from({ length: 10_000 }, (_, index) => [
    `id ${index}`,
    `{ a${index}: allProducts { name } }`
  ])
  const { send } = await start(t, Object.fromEntries(many))
  t.same((await send({ documentId: 'id 9999' })).body, { data: { a9999: both.data.allProducts } })
})

t.test('a response to an identifier is kept, and two documents never share one', async t => {
  const { send, url, token } = await start(t, { one: names, two: '{ allProducts { id } }' })
  for (let round = 0; round < 3; round++) {
    t.same((await send({ documentId: 'one' })).body, both)
    t.same((await send({ documentId: 'two' })).body, { data: { allProducts: [{ id: 1 }, { id: 0 }] } })
  }
  const kept = await graphqlRequest(url, token, { documentId: 'one' }, responseJson)
  t.same(await kept.json(), both)
})
