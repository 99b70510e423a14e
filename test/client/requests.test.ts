// Runs on SQLite only, in test:all only.
/** When a request is sent again, and what its errors are. */
import { parse } from 'graphql'
import { type Test, t } from 'tap'
import {
  ClientError,
  createClient,
  GraphQLResponseError,
  NetworkError,
  ResponseError,
  type RetryOptions,
  type TypedDocument
} from '../../packages/client/index.ts'
import { accessToken } from '../support/http/http.ts'
import { addTemplates, service, storedTemplates } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { TestClock } from './clock.ts'
import { network } from './network.ts'
import { passwordAuth } from './password-auth.ts'

async function start(t: Test, retry: RetryOptions = {}) {
  const { db, url } = await service(t)
  await addTemplates(db, { id: 1 })
  const net = await network(t, url)
  const clock = new TestClock()
  const client = createClient({ url: `${net.url}/`, auth: await accessToken(url), clock, retry })
  return { db, net, clock, client }
}

const names = 'query Names { allProducts { name } }'
const create = `mutation ($input: CreateProductInput!) { createProduct(input: $input) { product { id } userErrors { code } } }`
const update = `mutation { updateProduct(id: 1, input: { name: "mine" }) { userErrors { code } } }`
const input = { name: 'new', blockchainId: 1, maxItems: 1, document: {} }

t.test('attempts are bounded, and a login that fails is not multiplied by them', async t => {
  const { net, clock, client } = await start(t)
  net.target = undefined
  await t.rejects(client.request(names), NetworkError)
  t.equal(net.requests.length, 5)
  t.same(clock.pauses, [125, 250, 500, 1000])
  await t.rejects(createClient({ url: net.url, auth: passwordAuth, clock }).request(names), NetworkError)
  t.equal(net.requests.filter(request => request === 'POST /oauth/token').length, 5)
  t.equal(net.requests.length, 10)
  await t.rejects(createClient({ url: net.url, auth: 'x', clock, retry: { attempts: 1 } }).request(names))
  t.equal(net.requests.length, 11)
})

t.test('the whole takes no longer than it may', async t => {
  const { net, clock, client } = await start(t)
  net.fail('/graphql', { status: 503, headers: { 'retry-after': '60' } })
  await t.rejects(client.request(names), { name: 'ResponseError', status: 503, retryAfter: 60_000 })
  t.same([net.requests.length, clock.pauses.length], [1, 0], 'it does not wait in vain')

  const arrivals = (count: number) => until(() => net.requests.length >= count)
  net.fail('/graphql', 'silent', 'silent', 'silent')
  const late = client.request(names)
  await arrivals(2)
  clock.pass(30_000)
  await arrivals(3)
  clock.pass(30_000)
  await t.rejects(late, { name: 'TimeoutError' })
  t.equal(net.requests.length, 3)
})

t.test('an aborted request rejects with the reason, also between attempts', async t => {
  const { net, clock, client } = await start(t)
  const stop = new AbortController()
  net.fail('/graphql', 'unsent')
  clock.onPause = async () => stop.abort(new Error('closed'))
  await t.rejects(client.request(names, {}, { signal: stop.signal }), { message: 'closed' })
  await t.rejects(client.request(names, {}, { signal: stop.signal }), { message: 'closed' })
  t.equal(net.requests.length, 1)
})

t.test('a creation whose response was lost is sent again and creates once', async t => {
  const { db, net, client } = await start(t)
  net.fail('/graphql', 'lost', 'half')
  t.same(await client.request(create, { input }), { createProduct: { product: { id: 2 }, userErrors: [] } })
  t.equal(net.requests.length, 3)
  t.equal((await storedTemplates(db)).length, 2)
  const keys = net.sent.map(({ headers }) => headers['idempotency-key'])
  t.equal(new Set(keys).size, 1)
  await client.request(create, { input }, { idempotencyKey: String(keys[0]) })
  t.equal((await storedTemplates(db)).length, 2)
  await client.request(create, { input })
  t.equal((await storedTemplates(db)).length, 3)
})

t.test('an update whose response was lost is not sent again; one that was refused is', async t => {
  const { net, client } = await start(t)
  net.fail('/graphql', 'lost')
  await t.rejects(client.request(update), NetworkError)
  net.fail('/graphql', { status: 503 })
  await t.rejects(client.request(update), ResponseError)
  t.equal(net.requests.length, 2)
  net.fail('/graphql', { status: 429 })
  await client.request(update)
  t.equal(net.requests.length, 4)
})

t.test('an update is not sent again, whatever quotes are in the block strings before it', async t => {
  const { net, client } = await start(t)
  const text = '"""some \\""" quotes"""'
  const both = `mutation {
    createProduct(input: { name: ${text}, blockchainId: 1, maxItems: 1, document: {} }) { userErrors { code } }
    updateProduct(id: 1, input: { name: ${text} }) { userErrors { code } }
  }`
  net.fail('/graphql', { status: 503 })
  await t.rejects(client.request(both), ResponseError)
  t.equal(net.requests.length, 1)
})

t.test('a mutation is sent again only if it is known that this does no harm', async t => {
  const { net, client } = await start(t)
  const sends = async (text: string): Promise<number> => {
    const before = net.requests.length
    net.fail('/graphql', 'unsent')
    await client.request(text).catch(() => {})
    return net.requests.length - before
  }
  const creation = 'createProduct(input: { name: "a", blockchainId: 1, maxItems: 1, document: { a: "}" } })'
  const done = '{ product { id } userErrors { code } }'
  const once = [
    'mutation { transferProduct(id: 1) { product { createProduct: id } } }',
    `mutation { ${creation} ${done} importProduct(id: 1) ${done} }`,
    `mutation M($a: [Int!] = [1]) @x(a: { b: 1 }) { createProduct: sellProduct(id: 1) ${done} }`,
    'mutation { ...Sale } fragment Sale on Mutation { sellProduct(id: 1) { id } }',
    `mutation { ${creation} ${done} ... on Mutation { sellProduct(id: 1) { id } } }`,
    `query { product(id: 1) { id } } mutation M { sellProduct(id: 1) ${done} }`,
    `# \u2028"\nmutation { sellProduct(id: 1) ${done} } # "`,
    'subscription { productSold { id } }'
  ]
  for (const [at, text] of once.entries()) t.equal(await sends(text), 1, `once ${at}`)
  const again = [
    `mutation M($x: Int) @x(a: { b: 1 }) { one: ${creation} @include(if: true) ${done}, two : ${creation} ${done} }`,
    'query mutation { product(id: 1) { id } } fragment sellProduct on ProductTemplate { id }',
    '\ufeff , { product(id: 1) { id } }'
  ]
  for (const [at, text] of again.entries()) t.equal(await sends(text), 2, `again ${at}`)
})

t.test('a query is no mutation because of a word in it', async t => {
  const { net, client } = await start(t)
  const text = `# mutation { updateProduct }
query mutations($mutation: Int! = 1) { product(id: $mutation) { updateProduct: name mutation: id } other: products(where: { search: "mutation {" }) { totalCount } }`
  net.fail('/graphql', 'unsent')
  t.match(await client.request(text), { product: { mutation: 1 } })
  t.equal(net.sent[0]?.headers['idempotency-key'], undefined)
})

t.test('errors are classes with the message of the service', async t => {
  const { net, client } = await start(t)
  const wrong = await client.request('{ allProducts(limit: -1) { name } }').catch(error => error)
  t.ok(
    wrong instanceof GraphQLResponseError && wrong instanceof ResponseError && wrong instanceof ClientError
  )
  t.match(wrong, { status: 200, codes: ['BAD_USER_INPUT'], errors: [{ path: ['allProducts'] }], data: null })
  await t.rejects(client.request('{ nothing }'), {
    name: 'GraphQLResponseError',
    codes: ['GRAPHQL_VALIDATION_FAILED']
  })
  net.fail('/graphql', { status: 200, body: '<html>' }, { status: 404, body: '{}' })
  await t.rejects(client.request(names), { name: 'ResponseError', status: 200 })
  await t.rejects(client.request(names), { name: 'ResponseError', status: 404 })
  const elsewhere = await network(t)
  net.fail('/graphql', { status: 307, headers: { location: `${elsewhere.url}/graphql` } })
  await client.request(names)
  t.same(elsewhere.requests, [], 'it takes its token nowhere else')
})

t.test('pages that do not advance end with an error, not never', async t => {
  const { net, client } = await start(t)
  const page = (endCursor: string) => ({
    status: 200,
    body: JSON.stringify({ data: { products: { pageInfo: { hasNextPage: true, endCursor } } } })
  })
  net.fail('/graphql', page('a'), page('a'))
  const pages = client.pages(
    'query ($after: String) { products(after: $after) { pageInfo { hasNextPage endCursor } } }'
  )
  await pages.next()
  await t.rejects(pages.next(), /do not advance/)
  await t.rejects(client.pages(names).next(), /pageInfo/)
})

t.test('a fragment selects the fields of a helper, parsed or as a string object', async t => {
  const { client } = await start(t)
  const text = 'fragment Card on ProductTemplate { name ...Id } fragment Id on ProductTemplate { id }'
  const card: TypedDocument<{ name: string; id: number }> = parse(text)
  t.same(await client.product(1, { select: card }), { name: 'template 0', id: 1 })
  const object = new String(text) as TypedDocument<{ name: string; id: number }>
  t.same((await client.products({ select: object })).nodes, [{ name: 'template 0', id: 1 }])
  t.equal(await client.product(5, { select: card }), null)
})
