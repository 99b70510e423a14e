// Runs in test:all only.
/** `subscription { productChanged }` with the client of graphql-sse, and the bytes behind it. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createClient, type NetworkError } from 'graphql-sse'
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import type { ServiceOptions } from '../../../index.ts'
import { users } from '../../../store.ts'
import { scrape } from '../../metrics/scrape.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { openStream } from '../../support/http/event-stream.ts'
import {
  accessToken,
  basic,
  graphqlGet,
  graphqlRequest,
  query,
  responseJson
} from '../../support/http/http.ts'
import {
  type Changed,
  changedText,
  readChanges,
  subscribe,
  subscriber
} from '../../support/http/subscriber.ts'
import { addClient, addTemplates, service, user } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Milliseconds between two writes. */
const writePause = 10
const events = { accept: 'text/event-stream' }

async function start(t: Test, options: ServiceOptions & { prefix?: string } = {}) {
  const { app, db, url } = await service(t, options)
  const token = await accessToken(url)
  const request = (body: unknown, headers: Record<string, string> = events) =>
    graphqlRequest(url, token, typeof body === 'string' ? { query: body } : body, headers)
  /** Reads a response that ends. */
  const text = async (body: unknown) => (await request(body)).text()
  return { app, db, url, token, request, text, client: subscriber(t, url, token) }
}

const rename = (db: Db, id: number, name: string) =>
  db.updateTable('product_template').set({ name }).where('id', '=', id).execute()

const only = (result: object | string) =>
  `event: next\ndata: ${typeof result === 'string' ? result : JSON.stringify(result)}\n\nevent: complete\ndata:\n\n`

/** What an ended response says, if it is one result and its end. */
const resultOf = (text: string) => {
  const [, data = ''] = /^event: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(text) ?? []
  return JSON.parse(data)
}

t.test('a change comes as an event with what is selected, in order', async t => {
  const { db, url, token } = await start(t, { prefix: '/shop', metrics: true })
  await addTemplates(db, { id: 1, name: 'old' })
  const results = subscribe(subscriber(t, url, token), { after: 'start' })
  t.match(await readChanges(results, 1), [
    { templateId: 1, revision: 1, action: 'INSERT', contents: { name: 'old' } }
  ])
  await rename(db, 1, 'new')
  await db.deleteFrom('product_template').execute()
  const changes = await readChanges(results, 2)
  t.match(changes, [
    { revision: 2, action: 'UPDATE', contents: { name: 'new' } },
    { revision: 3, action: 'DELETE', contents: null }
  ])
  const { body } = await query(url, token, '{ changes { nodes { cursor } edges { cursor } } }')
  t.same(body.data.changes.nodes, body.data.changes.edges)
  t.equal(body.data.changes.nodes[2].cursor, changes[1]?.cursor)
  const { sum } = await scrape(`${url}/metrics`)
  t.equal(sum('graphql_errors_total'), 0, 'its beginning is no error')
})

t.test('the bytes: an id and a result for each change, as by GET', async t => {
  const { db, url, token, request } = await start(t)
  await addTemplates(db, { id: 1, name: 'a\nb' }, { id: 2 })
  const body = { query: 'subscription { productChanged(after: "start") { cursor contents { name } } }' }
  for (const response of [await request(body), await graphqlGet(url, token, body, events)]) {
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    t.equal(response.headers.get('cache-control'), 'no-store')
    t.equal(response.headers.get('x-accel-buffering'), 'no')
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader() as ReadableStreamDefaultReader<string>
    let text = ''
    while (text.split('\n\n').length < 4) text += (await reader.read()).value
    t.match(text, /^retry: 1000\nid: \w+\n\nid: (\w+)\nevent: next\ndata: \{"data":\{"productChanged":/)
    const [, id, data = ''] = /id: (\w+)\nevent: next\ndata: (.*)\n\n/.exec(text) ?? []
    t.same(JSON.parse(data), { data: { productChanged: { cursor: id, contents: { name: 'a\nb' } } } })
    await reader.cancel()
  }
})

t.test('a client that was killed goes on without a gap', async t => {
  const { db, url, token } = await start(t)
  await addTemplates(db, ...Array.from({ length: 250 }, (_, id) => ({ id })))
  const all: string[] = []
  let after = 'start'
  for (const count of [1, 99, 100, 50]) {
    const client = subscriber(t, url, token)
    const changes = await readChanges(subscribe(client, { after }), count)
    // What it has not read yet is lost with it.
    client.dispose()
    all.push(...changes.map(({ templateId }) => `${templateId}`))
    after = changes.at(-1)?.cursor ?? ''
  }
  t.same(
    all,
    Array.from({ length: 250 }, (_, id) => `${id}`)
  )
  await rename(db, 7, 'new')
  const byHeader = subscriber(t, url, token, { 'Last-Event-ID': after })
  t.match(await readChanges(subscribe(byHeader, { after: 'start' }), 1), [{ templateId: 7, revision: 2 }])
})

t.test('the client that connects again by itself goes on by Last-Event-ID', async t => {
  const { app, db, url, token } = await start(t)
  await addTemplates(db, { id: 1 })
  const got: Changed[] = []
  let [last, connections] = ['start', 0]
  const client = createClient({
    url: `${url}/graphql`,
    headers: () => ({ authorization: `Bearer ${token}`, 'Last-Event-ID': last }),
    retry: async () => {},
    on: { connected: () => void connections++ }
  })
  t.teardown(() => client.dispose())
  client.subscribe<{ productChanged: Changed }>(
    { query: changedText },
    {
      next({ data }) {
        got.push(data?.productChanged as Changed)
        last = got.at(-1)?.cursor ?? last
      },
      error() {},
      complete() {}
    }
  )
  for (let turn = 1; turn <= 10; turn++) {
    await until(() => got.length >= turn)
    app.server.closeAllConnections()
    await rename(db, 1, `${turn}`)
  }
  await until(() => got.length >= 11)
  t.same(
    got.map(({ revision }) => revision),
    Array.from({ length: 11 }, (_, index) => index + 1)
  )
  t.ok(connections > 5)
})

t.test('without a cursor it begins now', async t => {
  const { db, request } = await start(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const response = await request('subscription { productChanged { templateId revision } }')
  await rename(db, 2, 'new')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (!text.includes('next')) text += Buffer.from((await reader.read()).value ?? []).toString()
  t.match(text, '{"data":{"productChanged":{"templateId":2,"revision":2}}}')
  t.notMatch(text, '"revision":1')
  await reader.cancel()
})

t.test('where: what comes to match is inserted, what matches no more is deleted', async t => {
  const { db, client } = await start(t)
  await addTemplates(
    db,
    { id: 1, componentName: 'A' },
    { id: 2, componentName: 'B' },
    { id: 3, componentName: 'A' }
  )
  const set = (id: number, values: object) =>
    db.updateTable('product_template').set(values).where('id', '=', id).execute()
  await set(2, { name: 'two' })
  await set(2, { component_name: 'A' })
  await set(1, { name: 'one' })
  await set(1, { component_name: 'B' })
  await set(1, { name: 'again' })
  await db.deleteFrom('product_template').where('id', '=', 3).execute()
  await set(2, { name: 'end' })
  const told = async (where: object, count: number) => {
    const results = subscribe(client, { where, after: 'start' })
    const changes = await readChanges(results, count)
    await results.return?.()
    return changes.map(({ action, templateId, revision, contents }) =>
      [action, templateId, revision, contents?.name].join(' ').trim()
    )
  }
  const expected = [
    'INSERT 1 1 template 0',
    'INSERT 3 1 template 2',
    'INSERT 2 3 two',
    'UPDATE 1 2 one',
    'DELETE 1 3',
    'DELETE 3 2',
    'UPDATE 2 4 end'
  ]
  t.same(await told({ componentName: { equals: 'A' } }, 7), expected)
  t.same(await told({ and: [{ componentName: { in: ['A'] } }, { id: { gte: 2 } }] }, 4), [
    'INSERT 3 1 template 2',
    'INSERT 2 3 two',
    'DELETE 3 2',
    'UPDATE 2 4 end'
  ])
  t.same(await told({ search: 'one' }, 3), ['INSERT 1 2 one', 'UPDATE 1 3 one', 'DELETE 1 4'])
  t.equal((await told({}, 10)).length, 10)
  t.equal((await told({ componentName: null }, 10)).length, 10)
})

t.test('where may name a trait as facets show it, truncated', async t => {
  const { db, url, token, client } = await start(t)
  const long = { trait_type: 'x'.repeat(200), value: 1 }
  await addTemplates(db, { id: 1 }, { id: 2, data: JSON.stringify({ attributes: [long] }) })
  const { body } = await query(url, token, '{ traits { type } }')
  const where = { trait: { type: body.data.traits[0].type } }
  t.match(await readChanges(subscribe(client, { where, after: 'start' }), 1), [{ templateId: 2 }])
})

onlyOn(
  'sqlite',
  'heartbeats come, and a token ends, while very long documents are asked for where',
  async t => {
    const { db, url, token, request } = await start(t, { changesHeartbeat: 1 })
    const attributes = Array.from({ length: 9000 }, (_, value) => ({ trait_type: 'a', value }))
    const data = JSON.stringify({ attributes })
    await addTemplates(db, ...Array.from({ length: 60 }, (_, id) => ({ id, data })), { id: 60 })
    const parts = Array.from({ length: 160 }, (_, part) => ({ trait: { type: 'a', contains: `${part}x` } }))
    const where = { or: [...parts, { id: { equals: 60 } }] }
    const body = { query: changedText, variables: { where, after: 'start' } }
    const reader = ((await request(body)).body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader() as ReadableStreamDefaultReader<string>
    let text = ''
    while (!text.includes(': heartbeat\n\n')) text += (await reader.read()).value
    t.notMatch(text, 'next')
    await fetch(`${url}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: basic() },
      body: new URLSearchParams({ token })
    })
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    t.match(text, /: the access token is not valid any more\n\n$/)
    t.notMatch(text, 'next')
  }
)

t.test('the rule of the user counts besides where, and when it changes', async t => {
  const { db, url } = await start(t)
  await addTemplates(db, ...[1, 2, 3, 4].map(id => ({ id, componentName: id % 2 ? 'A' : 'B' })))
  await users.update(db, user.email, { where: { componentName: { equals: 'A' } } })
  const client = subscriber(t, url, await accessToken(url))
  const all = subscribe(client, { after: 'start' })
  const some = subscribe(client, { after: 'start', where: { id: { gte: 2 } } })
  t.match(await readChanges(all, 2), [{ templateId: 1 }, { templateId: 3 }])
  t.match(await readChanges(some, 1), [{ templateId: 3 }])
  await db.updateTable('product_template').set({ component_name: 'B' }).where('id', '=', 3).execute()
  const gone = { templateId: 3, action: 'DELETE', contents: null }
  t.match([await readChanges(all, 1), await readChanges(some, 1)], [[gone], [gone]])
  await users.update(db, user.email, { where: { componentName: { equals: 'B' } } })
  for (const id of [1, 4]) await rename(db, id, 'new')
  t.match([await readChanges(all, 1), await readChanges(some, 1)], [[{ templateId: 4 }], [{ templateId: 4 }]])
})

t.test('queries and mutations have one result', async t => {
  const { db, url, token, text, client } = await start(t)
  await addTemplates(db, { id: 1, name: 'one' })
  const found = { data: { product: { name: 'one' } } }
  t.equal(await text('{ product(id: 1) { name } }'), only(found))
  t.equal(await text('{ product(id: 1) { name } }'), only(found), 'again')
  const by = await graphqlGet(url, token, { query: '{ product(id: 1) { name } }' }, events)
  t.equal(by.headers.get('etag'), null)
  t.equal(await by.text(), only(found))
  const mutation = 'mutation { updateProduct(id: 1, input: { name: "two" }) { product { name } } }'
  const results = client.iterate({ query: mutation })
  t.match(await results.next(), {
    done: false,
    value: { data: { updateProduct: { product: { name: 'two' } } } }
  })
  t.match(await results.next(), { done: true })
  const refused = await graphqlGet(url, token, { query: mutation }, events)
  t.equal(refused.status, 405)
  t.equal(refused.headers.get('allow'), 'POST')
  // Who accepts JSON gets JSON.
  const both = await graphqlRequest(
    url,
    token,
    { query: '{ product(id: 1) { name } }' },
    {
      accept: 'text/event-stream, application/json;q=0.1'
    }
  )
  t.match(both.headers.get('content-type'), 'application/json')
})

onlyOn('sqlite', 'errors of a document are a result', async t => {
  const { db, text, client } = await start(t)
  await addTemplates(db, { id: 1 })
  const ahead = Buffer.from('changes:1:99').toString('base64url')
  const field = (more: string, selection = '{ templateId }') =>
    `subscription { productChanged${more} ${selection} }`
  const deep = `{ ${'not: { '.repeat(11)}${'} '.repeat(11)}}`
  for (const [body, code, message] of [
    [field('', '{ nothing }'), 'GRAPHQL_VALIDATION_FAILED', 'Cannot query field "nothing"'],
    ['subscription {', 'GRAPHQL_PARSE_FAILED', 'Syntax Error'],
    ['subscription { __typename }', 'GRAPHQL_VALIDATION_FAILED', 'introspection'],
    [
      'subscription { a: productChanged { templateId } b: productChanged { templateId } }',
      'GRAPHQL_VALIDATION_FAILED',
      'only one top level field'
    ],
    [
      'subscription { ...F } fragment F on Subscription { productChanged { templateId } __typename }',
      'GRAPHQL_VALIDATION_FAILED',
      'only one top level field'
    ],
    [{ query: changedText, variables: { after: 7 } }, 'BAD_USER_INPUT', 'Expected type "String"'],
    [{ query: changedText, variables: { where: { name: 7 } } }, 'BAD_USER_INPUT', '"$where"'],
    [{ query: changedText, variables: { where: { x: 7 } } }, 'BAD_USER_INPUT', 'not defined'],
    [field('(after: "x")'), 'BAD_USER_INPUT', 'after and Last-Event-ID must be a cursor or `start`'],
    [field(`(after: "${ahead}")`), 'BAD_USER_INPUT', 'it belongs to another database'],
    [field(`(where: ${deep})`), 'BAD_USER_INPUT', 'where is deeper than 10 levels'],
    [
      {
        query: changedText,
        variables: { where: { id: { in: Array.from({ length: 501 }, (_, id) => id) } } }
      },
      'BAD_USER_INPUT',
      'where has more than 500 conditions'
    ],
    [field('(where: { timeCreated: { gt: "x" } })'), 'BAD_USER_INPUT', 'a time must have the form'],
    [{ query: changedText, operationName: 'No' }, 'OPERATION_RESOLUTION_FAILURE', 'no operation']
  ] as const) {
    const { errors, data } = resultOf(await text(body))
    t.match(errors[0], { message, extensions: { code } }, JSON.stringify(body))
    t.notOk(data)
  }
  t.equal(await text('subscription { productChanged @skip(if: true) { templateId } }'), only({ data: {} }))
  const results = subscribe(client, {}, field('', '{ nothing }'))
  t.match(await results.next(), { value: { errors: [{ message: 'Cannot query field "nothing"' }] } })
  t.match(await results.next(), { done: true })
})

t.test('aliases, fragments and directives are resolved as in a query', async t => {
  const { db, client, url, token } = await start(t)
  await addTemplates(db, { id: 1, data: '{"a":1}' })
  const selection = `{ __typename number: revision ...F again: contents { ... on ProductContents { data } }
    hash @skip(if: true) time @include(if: $time) } `
  const fragment = 'fragment F on Change { contents { name document { description } } }'
  const subscription = `subscription ($time: Boolean!) { it: productChanged(after: "start") ${selection} } ${fragment}`
  const results = client.iterate({ query: subscription, variables: { time: false } })
  const { value } = await results.next()
  const { body } = await query(
    url,
    token,
    `query ($time: Boolean!) { changes { nodes ${selection} } } ${fragment}`,
    {
      variables: { time: false }
    }
  )
  t.same(value, { data: { it: body.data.changes.nodes[0] } })
  t.equal(value?.data?.it && (value.data.it as { number: number }).number, 1)
})

onlyOn('sqlite', 'without an accepted event stream, a subscription is refused', async t => {
  const { url, token, request } = await start(t)
  const text = 'subscription { productChanged { templateId } }'
  const message = 'a subscription needs the header Accept: text/event-stream'
  for (const headers of [
    {},
    responseJson,
    { accept: '*/*' },
    { accept: 'application/json, text/event-stream;q=0' }
  ])
    for (const response of [
      await request(text, headers),
      await graphqlGet(url, token, { query: text }, headers)
    ]) {
      t.equal(response.status, 406)
      t.match(await response.json(), { errors: [{ message, extensions: { code: 'NOT_ACCEPTABLE' } }] })
    }
  t.equal((await request(text, { accept: 'text/html' })).status, 406)
})

onlyOn('sqlite', 'a request that is too long to be kept is refused, and takes no place', async t => {
  const { db, client, request } = await start(t, { changesStreamsPerToken: 1 })
  await addTemplates(db, { id: 1 })
  const response = await request({ query: changedText, variables: { unknown: 'x'.repeat(2 ** 16) } })
  t.equal(response.status, 400)
  t.match(await response.json(), { errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
  t.match(await readChanges(subscribe(client, { after: 'start' }), 1), [{ templateId: 1 }])
})

onlyOn('sqlite', 'other errors are those of HTTP, in JSON', async t => {
  const { db, url, token } = await start(t)
  await addClient(db, { id: 'writer', scopes: ['write'] })
  const writer = await accessToken(url, {}, { authorization: basic('writer') })
  const body = { query: 'subscription { productChanged { templateId } }' }
  const headers = (type: string) => ({ ...events, 'content-type': type })
  for (const [response, status, code] of [
    [graphqlRequest(url, 'no', body, events), 401, 'INVALID_TOKEN'],
    [graphqlRequest(url, writer, body, events), 403, 'INSUFFICIENT_SCOPE'],
    [graphqlGet(url, writer, body, events), 403, 'INSUFFICIENT_SCOPE'],
    [graphqlRequest(url, token, '{', events), 400, 'BAD_REQUEST'],
    [graphqlRequest(url, token, {}, events), 400, 'BAD_REQUEST'],
    [graphqlRequest(url, token, body, headers('text/plain')), 415, 'BAD_REQUEST'],
    [graphqlRequest(url, token, body, headers('application/x-www-form-urlencoded')), 415, 'BAD_REQUEST']
  ] as const) {
    const answer = await response
    t.equal(answer.status, status)
    t.match(answer.headers.get('content-type'), 'application/json')
    t.match(await answer.json(), { errors: [{ extensions: { code } }] })
  }
  for (const method of ['HEAD', 'PUT', 'DELETE']) {
    const authorization = `Bearer ${token}`
    const { status } = await fetch(`${url}/graphql?${new URLSearchParams(body)}`, {
      method,
      headers: { ...events, authorization }
    })
    t.equal(status, 405, method)
  }
})

onlyOn('sqlite', 'subscriptions and /changes are limited together', async t => {
  const { db, url, token } = await start(t, { changesMaxStreams: 3, changesStreamsPerToken: 2 })
  await addTemplates(db, { id: 1 })
  const stream = await openStream(url, token)
  const client = subscriber(t, url, token)
  const results = subscribe(client, { after: 'start' })
  await readChanges(results, 1)
  const refused = async (token: string) => {
    const error = await subscribe(subscriber(t, url, token))
      .next()
      .catch(error => error)
    const { status, headers } = (error as NetworkError<Response>).response as Response
    t.match(headers.get('retry-after'), /^\d+$/)
    return status
  }
  t.equal(await refused(token), 429)
  const other = await accessToken(url)
  const last = await openStream(url, other)
  t.equal(await refused(other), 503)
  client.dispose()
  await last.close()
  await stream.close()
  await readChanges(subscribe(subscriber(t, url, token), { after: 'start' }), 1).catch(() => {})
  for (const body of ['{ nothing }', 'subscription { productChanged(after: "x") { id } }', '{ __typename }'])
    for (let turn = 0; turn < 3; turn++)
      t.equal((await graphqlRequest(url, other, { query: body }, events)).status, 200, 'takes no place')
})

t.test('a client that has gone leaves nothing behind', async t => {
  const { db, url, token } = await start(t, { metrics: true })
  await addTemplates(
    db,
    ...Array.from({ length: 200 }, (_, id) => ({ id, data: `{"a":"${'x'.repeat(20_000)}"}` }))
  )
  const heavy = 'subscription { productChanged(after: "start") { contents { data } } }'
  for (let turn = 0; turn < 5; turn++) {
    const client = subscriber(t, url, token)
    await subscribe(client, {}, heavy).next()
    client.dispose()
  }
  const readValues = async () => {
    const scraped = await scrape(`${url}/metrics`)
    return [
      'change_streams',
      'graphql_operations_running',
      'graphql_operations_waiting',
      'graphql_pending_bytes'
    ].map(name => scraped.sum(name))
  }
  await until(async () => (await readValues()).every(value => value === 0))
  t.pass('nothing is left')
})

t.test('a token that expires or is revoked ends its subscriptions, which are not complete', async t => {
  const { db, url, token, client } = await start(t, { changesHeartbeat: 300, accessTokenTtl: 300 })
  await addTemplates(db, { id: 1 })
  const results = subscribe(client, { after: 'start' })
  await readChanges(results, 1)
  const revoked = await accessToken(url)
  const others = subscribe(subscriber(t, url, revoked), { after: 'start' })
  await readChanges(others, 1)
  await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: basic() },
    body: new URLSearchParams({ token: revoked })
  })
  let ended = false
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  const writing = (async () => {
    for (let turn = 0; !ended; turn++) {
      await rename(db, 1, `${turn}`)
      await setTimeout(writePause)
    }
  })()
  const end = async (results: AsyncIterable<object>) => {
    for await (const result of results) if ('errors' in result) return result
    return 'complete'
  }
  t.match(await end(others).catch(error => error), { name: 'NetworkError' })
  Date.now = () => realNow() + 301_000
  t.match(await end(results).catch(error => error), { name: 'NetworkError' })
  ended = true
  await writing
  t.equal((await graphqlRequest(url, token, { query: changedText }, events)).status, 401)
})

onlyOn('sqlite', 'the cost of an event is limited as that of a query, and what it reads', async t => {
  const { db, client, text } = await start(t, { graphqlMaxCost: 1000 })
  const long = JSON.stringify({ a: 'x'.repeat(4_200_000) })
  await addTemplates(db, { id: 1 }, { id: 2, data: long }, { id: 3 })
  const field = (selection: string) => `subscription { productChanged(after: "start") { ${selection} } }`
  // By the mean length of the documents.
  const heavy = Array.from({ length: 10 }, (_, at) => `a${at}: contents { document { name } }`).join(' ')
  t.match(resultOf(await text(field(heavy))), { errors: [{ extensions: { code: 'COST_LIMIT' } }] })
  const results = client.iterate<{ productChanged: { templateId: number } }>({
    query: field('templateId contents { document { description } }')
  })
  const told: unknown[] = []
  for (let count = 0; count < 3; count++) {
    const { value } = await results.next()
    told.push(value?.errors ? value.errors[0]?.extensions?.code : value?.data?.productChanged.templateId)
  }
  t.same(told, [1, 'RESULT_TOO_LARGE', 3])
})

onlyOn(
  'sqlite',
  'an event is counted when it is executed, not when the cost of the token refuses it',
  async t => {
    // The beginning of the subscription costs more than a token may spend in ten seconds.
    const { db, url, request } = await start(t, { metrics: true, graphqlCostRate: 1 })
    await addTemplates(db, { id: 1 })
    const response = await request('subscription { productChanged(after: "start") { cursor } }')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    // After each refusal.
    while (!text.includes(': heartbeat')) text += Buffer.from((await reader.read()).value ?? []).toString()
    t.notMatch(text, 'event: next')
    const { sum } = await scrape(`${url}/metrics`)
    const labels = { type: 'subscription' }
    t.equal(sum('graphql_operations_total', { ...labels, source: 'executed' }), 1)
    t.equal(sum('graphql_operation_duration_seconds', labels), 1)
    await reader.cancel()
  }
)

/** Sends bytes, and reads the response until it has a text. */
async function exchange(t: Test, url: string, bytes: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  t.teardown(() => socket.destroy())
  socket.write(bytes)
  let got = ''
  while (!got.includes(text)) got += (await once(socket, 'data'))[0]
  return got
}

onlyOn('sqlite', 'clients of HTTP/1.0, and bodies that GET does not read', async t => {
  const { db, url, token } = await start(t, { changesHeartbeat: 1 })
  await addTemplates(db, { id: 1 })
  const target = `/graphql?query=${encodeURIComponent('subscription{productChanged(after:"start"){templateId}}')}`
  const headers = `Host: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n`
  const old = await exchange(t, url, `GET ${target} HTTP/1.0\r\n${headers}\r\n`, ': heartbeat')
  t.match(old, /^HTTP\/1\.1 200 OK/)
  t.notMatch(old.toLowerCase(), 'chunked')
  t.match(old, '{"data":{"productChanged":{"templateId":1}}}')
  const more = 'Content-Type: application/json\r\nContent-Length: 2\r\n'
  const withBody = await exchange(
    t,
    url,
    `GET ${target} HTTP/1.1\r\n${headers}${more}\r\n{}`,
    '"templateId":1'
  )
  t.match(withBody, /^HTTP\/1\.1 200 OK/)
})

onlyOn('sqlite', 'a wrong Last-Event-ID is refused, an empty one ignored', async t => {
  const { db, url, token } = await start(t)
  await addTemplates(db, { id: 1 })
  const wrong = subscribe(subscriber(t, url, token, { 'Last-Event-ID': 'x' }), { after: 'start' })
  t.match(await wrong.next(), { value: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] } })
  const empty = subscribe(subscriber(t, url, token, { 'Last-Event-ID': '' }), { after: 'start' })
  t.match(await readChanges(empty, 1), [{ templateId: 1 }])
})

t.test('shutting down ends subscriptions, which are not complete', async t => {
  const { app, db, client, request } = await start(t)
  await addTemplates(db, { id: 1 })
  const results = subscribe(client, { after: 'start' })
  await readChanges(results, 1)
  const idle = await request('subscription { productChanged { templateId } }')
  const closing = app.close()
  t.match(await results.next().catch(error => error), { name: 'NetworkError' })
  const text = await idle.text()
  t.match(text, /: the service is shutting down\n\n$/)
  t.notMatch(text, 'complete')
  await closing
})

onlyOn('sqlite', 'a client that does not read is cut, while others are served', async t => {
  const { app, db, url, token, client } = await start(t, {
    graphqlStallTimeout: 5,
    graphqlMaxPendingSize: 2 ** 20
  })
  const count = 300
  const data = JSON.stringify({ a: 'x'.repeat(100_000) })
  await addTemplates(db, ...Array.from({ length: count }, (_, id) => ({ id, data })))
  const text = 'subscription { productChanged(after: "start") { cursor contents { data } } }'
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 4 }, () => connect({ host: hostname, port: Number(port) }))
  for (const socket of sockets) {
    const target = `/graphql?query=${encodeURIComponent(text)}`
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`
    )
    socket.on('error', () => {})
    await once(socket, 'readable')
  }
  const connections = () =>
    new Promise<number>(resolve => app.server.getConnections((_, count) => resolve(count)))
  t.equal(
    (await readChanges(subscribe(client, {}, text), count)).length,
    count,
    'others are served meanwhile'
  )
  client.dispose()
  // That of the token request is kept alive.
  await until(async () => (await connections()) <= 1)
  let bytes = 0
  for (const socket of sockets) {
    socket.on('data', chunk => {
      bytes += chunk.length
    })
    await once(socket, 'close')
  }
  t.ok(bytes < sockets.length * count * data.length, `${bytes} bytes`)
})
