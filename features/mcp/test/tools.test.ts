// Runs on SQLite only, in test:all only: flow.test.ts uses some tools on both engines.
/** The tools of `/mcp`: what they are given, what they answer, and that they are no second way in. */
import { type Test, t } from 'tap'
import type { ServiceOptions } from '../../../index.ts'
import { productTemplates } from '../../../index.ts'
import { users } from '../../../store.ts'
import { accessToken, graphqlRequest, query } from '../../../test/support/http/http.ts'
import { call, connect, listTools, post } from '../../../test/support/http/mcp.ts'
import {
  addTemplates,
  cheapHash,
  host,
  service,
  storedTemplates,
  user
} from '../../../test/support/service/service.ts'
import { tools } from '../tools.ts'

async function start(t: Test, options: ServiceOptions = {}, scope = 'read write') {
  const running = await service(t, { mcp: true, ...options })
  const token = await accessToken(running.url, { scope, resource: `${running.url}/mcp` })
  return { ...running, token, mcp: await connect(t, running.url, token) }
}

const reading = ['search_templates', 'get_template', 'list_traits', 'get_history', 'get_revision']
const writing = ['create_template', 'update_template', 'restore_template']
const input = { blockchainId: 1, maxItems: 1, name: 'New', data: '{"attributes":[]}' }

t.test('tools are listed by what the token may do, with the arguments of their operations', async t => {
  const { url, db, mcp } = await start(t)
  const { tools: listed } = await mcp.listTools()
  t.same(
    listed.map(({ name }) => name),
    [...reading, ...writing]
  )
  t.same(
    listed.map(({ annotations }) => annotations?.readOnlyHint),
    [...reading.map(() => true), ...writing.map(() => false)]
  )
  const update = listed.find(({ name }) => name === 'update_template')?.inputSchema
  t.match(update, {
    required: ['id', 'input', 'expectedRevision'],
    additionalProperties: false,
    properties: {
      dryRun: { type: 'boolean', default: true },
      input: { $ref: '#/$defs/UpdateProductInput', description: 'The values to change; the others stay.' }
    }
  })
  const search = listed[0]?.inputSchema as unknown as { properties: object; $defs: Record<string, object> }
  t.match(search.properties, { first: { type: 'integer', default: 20 } })
  t.match(search.$defs.ProductTemplateFilter, {
    properties: { and: { type: 'array', items: { $ref: '#/$defs/ProductTemplateFilter' } } }
  })

  const names = async (scope: string) => {
    const token = await accessToken(url, { scope, resource: `${url}/mcp` })
    const { tools } = await (await connect(t, url, token)).listTools()
    return tools.map(({ name }) => name)
  }
  t.same(await names('read'), reading)
  t.same(await names('write'), writing)
  await users.update(db, user.email, { role: 'reader' })
  t.same(await names('read write'), reading, 'the role counts')
})

t.test('a token without write changes nothing, and one without read sees nothing', async t => {
  const { url, db, mcp } = await start(t, {}, 'read')
  await addTemplates(db, { id: 1 })
  const before = await storedTemplates(db)
  for (const dryRun of [true, false]) {
    const refused = await call(mcp, 'update_template', {
      id: 1,
      input: { name: 'x' },
      expectedRevision: 1,
      dryRun
    })
    t.match(refused, { isError: true, texts: [/does not have the scope write/] })
  }
  t.same(await storedTemplates(db), before)
  const writer = await accessToken(url, { scope: 'write', resource: `${url}/mcp` })
  const message = {
    ...listTools,
    method: 'tools/call',
    params: { name: 'get_template', arguments: { id: 1 } }
  }
  const response = await post(url, writer, message)
  t.equal(response.status, 403)
  t.match(
    response.headers.get('www-authenticate'),
    /error="insufficient_scope", scope="read", resource_metadata=/
  )
})

t.test('arguments are those of the operation, and errors say what is wrong', async t => {
  const { db, mcp } = await start(t)
  await addTemplates(db, { id: 1, data: '{"attributes":[{"trait_type":"Colour","value":"red"}]}' })
  const wrong: [name: string, given: Record<string, unknown>, text: RegExp][] = [
    ['get_template', {}, /\$id" of required type "Int!" was not provided/],
    ['get_template', { id: 'one' }, /\$id" got invalid value; Expected type "Int"/],
    ['get_template', { id: 1, dry: 1 }, /the arguments of get_template are id/],
    ['search_templates', { where: { colour: 'red' } }, /Field "colour" is not defined/],
    ['search_templates', { first: 1000 }, /first/],
    ['update_template', { id: 1, input: {} }, /\$expectedRevision" of required type/],
    [
      'update_template',
      { id: 1, input: {}, expectedRevision: 1, message: 1 },
      /\$message" got invalid value/
    ],
    [
      'update_template',
      { id: 1, input: {}, expectedRevision: 1, message: 'x'.repeat(1001) },
      /message has more than/
    ]
  ]
  for (const [name, given, text] of wrong) {
    const { isError, texts } = await call(mcp, name, given)
    t.ok(isError, name)
    t.match(texts[0], text)
  }
  await t.rejects(call(mcp, 'delete_template', { id: 1 }), /there is no such tool/)
  const traits = await call(mcp, 'list_traits')
  t.match(traits.data.traits, [{ type: 'Colour', values: [{ text: 'red', count: 1 }] }])
  t.same((await call(mcp, 'get_template', { id: 9 })).data, { product: null })
})

t.test('a list is read page by page', async t => {
  const { db, mcp } = await start(t)
  await addTemplates(db, ...Array.from({ length: 25 }, (_, id) => ({ id })))
  const first = (await call(mcp, 'search_templates')).data.products
  t.same([first.nodes.length, first.totalCountUpTo, first.pageInfo.hasNextPage], [20, 25, true])
  const next = (await call(mcp, 'search_templates', { after: first.pageInfo.endCursor })).data.products
  t.same([next.nodes.length, next.pageInfo.hasNextPage], [5, false])
})

t.test('a new template is shown by a dry run, and then created with the name of the tool', async t => {
  const { url, db, mcp } = await start(t)
  t.match((await call(mcp, 'create_template', { input })).data.createProduct.product, { name: 'New' })
  t.same(await storedTemplates(db), [])
  const created = await call(mcp, 'create_template', { input, dryRun: false })
  const { id } = created.data.createProduct.product
  const text = `{ product(id: ${id}) { revisions { nodes { message } } } }`
  const { body } = await query(url, await accessToken(url), text)
  t.equal(body.data.product.revisions.nodes[0].message, '(MCP tool create_template)')
  const longest = 'm'.repeat(1000)
  const update = { id, input: { name: 'Newer' }, message: longest, expectedRevision: 1, dryRun: false }
  t.same((await call(mcp, 'update_template', update)).data.updateProduct.userErrors, [])
  t.equal(
    (await query(url, await accessToken(url), text)).body.data.product.revisions.nodes[0].message,
    longest
  )
  const bad = await call(mcp, 'create_template', { input: { ...input, maxItems: 0, data: '{' } })
  t.ok(bad.isError)
  t.ok(bad.data.createProduct.userErrors.length >= 2)
})

t.test('resources are the templates', async t => {
  const { db, mcp } = await start(t)
  await addTemplates(db, ...Array.from({ length: 21 }, (_, id) => ({ id, name: `number ${id}` })))
  t.match(await mcp.listResourceTemplates(), { resourceTemplates: [{ uriTemplate: 'template://{id}' }] })
  const { resources, nextCursor } = await mcp.listResources()
  t.match([resources.length, resources[0]], [20, { uri: 'template://20', name: 'number 20' }])
  t.match((await mcp.listResources({ cursor: nextCursor })).resources, [{ uri: 'template://0' }])
  const { contents } = await mcp.readResource({ uri: 'template://12' })
  t.match(JSON.parse((contents[0] as { text: string }).text), { id: 12, name: 'number 12', data: '{}' })
  for (const uri of ['template://99', 'template://x', 'file:///etc/passwd', 'template://12/../13'])
    await t.rejects(mcp.readResource({ uri }), { code: -32_002 }, uri)
  await t.rejects(mcp.readResource({ uri: 'template://9999999999' }), { code: -32_602 })
})

t.test('the rule on templates holds for each tool', async t => {
  const { url, db } = await start(t)
  await users.add(db, { email: 'bob@example.com', password: 'long enough, is it not' }, cheapHash)
  await users.update(db, 'bob@example.com', { where: { componentName: { equals: 'TrackingRecord' } } })
  const others = {
    componentName: 'DefaultProduct',
    data: '{"attributes":[{"trait_type":"Secret","value":"x"}]}'
  }
  await addTemplates(db, { id: 1, componentName: 'TrackingRecord' }, { id: 2, ...others })
  const bob = { username: 'bob@example.com', password: 'long enough, is it not' }
  const mcp = await connect(t, url, await accessToken(url, { ...bob, resource: `${url}/mcp` }))
  const before = await storedTemplates(db)
  const found = (await call(mcp, 'search_templates')).data.products
  t.match([found.nodes, found.totalCountUpTo], [[{ id: 1 }], 1])
  t.same((await call(mcp, 'get_template', { id: 2 })).data, { product: null })
  t.same((await call(mcp, 'get_history', { id: 2 })).data.productRevisions.nodes, [])
  t.same((await call(mcp, 'list_traits')).data, { traits: [] })
  t.same(
    (await mcp.listResources()).resources.map(({ uri }) => uri),
    ['template://1']
  )
  await t.rejects(mcp.readResource({ uri: 'template://2' }))
  for (const dryRun of [true, false]) {
    const refused = await call(mcp, 'update_template', {
      id: 2,
      input: { name: 'x' },
      expectedRevision: 1,
      dryRun
    })
    t.match(refused.data.updateProduct, { product: null, userErrors: [{ code: 'NOT_FOUND' }] })
    t.ok((await call(mcp, 'create_template', { input, dryRun })).isError)
    const away = { id: 1, input: { componentName: 'DefaultProduct' }, expectedRevision: 1, dryRun }
    t.ok((await call(mcp, 'update_template', away)).isError)
  }
  t.same(await storedTemplates(db), before)
})

t.test('the limits of /graphql are those of /mcp', async t => {
  const { url, db, mcp, token } = await start(t, { graphqlMaxCost: 1000 })
  // The cost depends on the entries of the store.
  const attributes = Array.from({ length: 200 }, (_, at) => ({ trait_type: `Trait ${at}`, value: at }))
  const data = JSON.stringify({ attributes })
  await addTemplates(db, ...Array.from({ length: 100 }, (_, id) => ({ id, data })))
  const { isError, texts } = await call(mcp, 'list_traits')
  const { operation } = tools.list_traits
  const { body } = await query(url, await accessToken(url), operation)
  t.ok(isError)
  t.equal(body.errors[0].extensions.code, 'COST_LIMIT')
  t.same(texts, [body.errors[0].message])
  const large = await post(url, token, {
    ...listTools,
    method: 'tools/call',
    params: { name: 'x'.repeat(1_100_000) }
  })
  t.equal(large.status, 413)
})

t.test('a token that has spent too much gets 429 with Retry-After, at both endpoints together', async t => {
  const { url, token, db, mcp } = await start(t, { graphqlCostRate: 1 })
  await addTemplates(db, { id: 1 })
  await call(mcp, 'search_templates')
  const message = {
    ...listTools,
    method: 'tools/call',
    params: { name: 'get_template', arguments: { id: 1 } }
  }
  const response = await post(url, token, message)
  t.equal(response.status, 429)
  t.ok(Number(response.headers.get('retry-after')) > 0)
  t.equal((await post(url, token, listTools)).status, 429, 'each message is charged')
  const both = await accessToken(url, { resource: url })
  await post(url, both, { ...message, params: { name: 'search_templates' } })
  t.equal((await graphqlRequest(url, both, { query: '{ product(id: 1) { id } }' })).status, 429)
})

t.test('large results are refused, whatever /graphql allows', async t => {
  const { db, mcp } = await start(t)
  await addTemplates(db, {
    id: 1,
    data: JSON.stringify({ description: 'x'.repeat(2_000_000), attributes: [] })
  })
  t.match(await call(mcp, 'get_template', { id: 1 }), {
    isError: true,
    texts: [/the result exceeds 1048576 bytes/]
  })
})

t.test('a change whose difference is too large is written without it', async t => {
  const { db, mcp } = await start(t)
  const quotes = (first: string) =>
    JSON.stringify({ description: first + '"'.repeat(131_040), attributes: [] })
  await addTemplates(db, { id: 1, data: quotes('a') })
  const change = { id: 1, input: { data: quotes('b') }, expectedRevision: 1 }
  t.match(await call(mcp, 'update_template', change), { isError: true, texts: [/the result exceeds/] })
  const back = { id: 1, revision: 1, expectedRevision: 2, dryRun: false }
  for (const [name, given] of [
    ['update_template', { ...change, dryRun: false }],
    ['restore_template', back]
  ] as const)
    t.match(await call(mcp, name, given), { isError: false })
})

t.test('several processes answer alternating requests of one client', async t => {
  const { db, token, url } = await start(t)
  await addTemplates(db, { id: 1 })
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, mcp: true, issuer: url })
  const other = await app.listen({ port: 0, host: '127.0.0.1' })
  const asked: string[] = []
  const alternate: typeof fetch = (address, init) => {
    const to = asked.length % 2 === 0 ? url : other
    asked.push(to)
    return fetch(String(address).replace(url, to), init)
  }
  const mcp = await connect(t, url, token, alternate)
  for (let revision = 1; revision < 5; revision++) {
    const change = { id: 1, input: { name: `name ${revision}` }, expectedRevision: revision, dryRun: false }
    const { data } = await call(mcp, 'update_template', change)
    t.equal(data.updateProduct.product.revision, revision + 1)
    t.equal((await call(mcp, 'get_template', { id: 1 })).data.product.name, `name ${revision}`)
  }
  t.same(new Set(asked), new Set([url, other]))
})
