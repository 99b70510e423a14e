// Runs on SQLite only: the limits are the same on both engines.
/** How many values the variables and arguments of an operation may have. */
import { t } from 'tap'
import { writer } from '../../graphql/writing/store.ts'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import { addTemplates, service, storedTemplates } from '../../support/service/service.ts'

const bad = (message: RegExp) => [{ message, extensions: { code: 'BAD_USER_INPUT' } }]

t.test('the variables of a query are counted before they are coerced', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const ask = async (count: number) => {
    const text = 'query($ids: [Int!]) { products(where: { id: { in: $ids } }) { totalCount } }'
    const { body } = await query(url, token, text, { variables: { ids: Array(count).fill(1) } })
    return body
  }
  t.match(await ask(400), { data: { products: { totalCount: 0 } } })
  t.match(await ask(9000), { errors: [{ message: /500 conditions/ }] })
  const refused = await ask(10_000)
  t.match(refused, { errors: [{ message: /10000 values/, extensions: { code: 'BAD_USER_INPUT' } }] })
  t.notOk('data' in refused)
})

t.test('the levels of variables are limited', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const texts = [
    'query($where: ProductTemplateFilter) { products(where: $where) { totalCount } }',
    'mutation($where: ProductTemplateFilter) { deleteProducts(where: $where) { count } }'
  ]
  const errors = [{ message: /more than 100 levels/, extensions: { code: 'BAD_USER_INPUT' } }]
  for (const text of texts)
    for (const levels of [101, 2000, 6000]) {
      const where = `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`
      const response = await graphqlRequest(
        url,
        token,
        `{ "query": "${text}", "variables": { "where": ${where} } }`
      )
      t.equal(response.status, 200)
      const body = (await response.json()) as object
      t.match(body, { errors })
      t.notOk('data' in body)
    }
})

t.test('values of a mutation, and unused variables, are limited', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 })
  const where =
    'mutation ($where: ProductTemplateFilter) { updateProducts(where: $where, change: { name: "x" }) { count } }'
  const change =
    'mutation ($change: ProductChangeInput!) { updateProducts(ids: [1], change: $change) { count } }'
  const many = (count: number, value: unknown) => Array(count).fill(value)
  for (const [text, variables] of [
    [where, { where: { or: many(300_000, {}) } }],
    [where, { where: { or: many(10_000, {}) } }],
    ['mutation { deleteProduct(id: 1) { userErrors { code } } }', { unused: many(130_000, 1) }],
    [where, { where: { id: { in: many(10_001, 1) } } }],
    [where, { where: { trait: { type: 'A', in: many(300_000, 1) } } }],
    [change, { change: { removeTraits: many(200_000, '') } }],
    [change, { change: { setTraits: many(50_000, { traitType: 'A' }) } }],
    [change, { change: { name: 'x' }, unused: many(400_000, 1) }],
    [
      change,
      { change: { name: 'x' }, ...Object.fromEntries(many(20_000, 0).map((_, index) => [`k${index}`, 0])) }
    ],
    ['mutation { deleteProduct(id: 1) { userErrors { code } } }', { unused: many(400_000, 1) }],
    ['mutation ($ids: [Int!]) { deleteProducts(ids: $ids) { count } }', { ids: many(400_000, 1) }],
    [
      'mutation ($a: [Int!], $b: [Int!]) { a: deleteProducts(ids: $a) { count } b: deleteProducts(ids: $b) { count } }',
      { a: many(30_000, 1), b: many(30_000, 1) }
    ],
    [
      'mutation ($input: [RestoreProductInput!]!) { restoreProducts(input: $input) { count } }',
      { input: many(20_000, { id: 1, revision: 1 }) }
    ],
    [
      'mutation ($input: [ImportProductInput!]!) { importProducts(input: $input) { created } }',
      { input: many(300_000, {}) }
    ]
  ] as const) {
    const { data, errors } = await send(text, variables)
    t.match(errors, bad(/ more than \d+ (values|templates|different names)$/), text)
    t.equal(data, undefined)
  }
  t.match(await storedTemplates(db), [{ id: 1, name: 'template 0' }])
})

t.test('lists of ids, of revisions and of an import may be as long as they are documented', async t => {
  const { db, send } = await writer(t)
  const ids = Array.from({ length: 10_000 }, (_, id) => id)
  await addTemplates(db, { id: 1 })
  const payload = '{ count userErrors { code } }'
  const missing = { count: 0, userErrors: [{ code: 'NOT_FOUND' }] }
  const removed = await send(`mutation ($ids: [Int!]) { deleteProducts(ids: $ids) ${payload} }`, { ids })
  t.match(removed.data.deleteProducts, missing)
  const input = ids.map(id => ({ id, revision: 1, expectedRevision: 1 }))
  const restore = `mutation ($input: [RestoreProductInput!]!) { restoreProducts(input: $input) ${payload} }`
  t.match((await send(restore, { input })).data.restoreProducts, missing)
  const attributes = Array(20).fill({ traitType: 'Color', value: 'red' })
  const template = { blockchainId: 1, maxItems: 1, name: 'n', document: { attributes } }
  const imports =
    'mutation ($input: [ImportProductInput!]!) { importProducts(input: $input) { created userErrors { code } } }'
  t.same((await send(imports, { input: Array(1000).fill(template) })).data.importProducts, {
    created: 1000,
    userErrors: []
  })
  const tooMany = bad(/more than 1000 templates/)
  t.match((await send(imports, { input: Array(1001).fill({}) })).errors, tooMany, 'before they are coerced')
})

t.test('a variable counts each time it is used', async t => {
  const { send } = await writer(t)
  const times = (count: number, text: string) => Array(count).fill(text).join(' ')
  const filter = { or: Array(400).fill({ id: { equals: 1 } }) }
  for (const read of ['products(where: $where) { totalCount }', 'deleteProducts(where: $where) { count }']) {
    const type = read.startsWith('products') ? 'query' : 'mutation'
    const repeated = read.replace('$where', `{ or: [${times(300, '$where')}] }`)
    const text = `${type} ($where: ProductTemplateFilter!) { ${repeated} }`
    t.match((await send(text, { where: filter })).errors, bad(/the arguments have more than 10000 values/))
    const long = `${type} ($text: String!) { ${read.replace('$where', `{ or: [${times(80, '{ search: $text }')}] }`)} }`
    t.match(
      (await send(long, { text: 'x'.repeat(900_000) })).errors,
      bad(/the arguments have more than 1048576 characters/)
    )
  }
  const value = times(90, '{ traitType: $text, value: 1 }')
  const create = `mutation ($text: String!) { createProduct(input: { blockchainId: 1, maxItems: 1, name: "n", document: { attributes: [${value}] } }) { product { id } } }`
  t.match((await send(create, { text: 'x'.repeat(900_000) })).errors, bad(/characters/))
  t.same((await send('{ allProducts { id } }')).data.allProducts, [])
})
