/** Values that graphql-js coerces only when it comes to their field: they are found before anything runs. */
import { t } from 'tap'
import { create as createText, writer } from '../../graphql/writing/store.ts'
import { graphqlRequest, responseJson } from '../../support/http/http.ts'
import { addTemplates, storedTemplates } from '../../support/service/service.ts'

const secret = 's3cr3t'
const values = `blockchainId: 1, maxItems: 1, name: "${secret}", data: "{}"`

/** Operations with a variable that is null, or absent, where the type allows no null. */
const operations: string[] = [
  // Arguments and fields of inputs.
  'query ($x: ProductTemplateOrderField) { products(orderBy: { field: $x, trait: "s3cr3t" }) { totalCount } }',
  'query ($x: OrderDirection = ASC) { allProducts(orderBy: { direction: $x }) { id } }',
  'query ($x: Int = 1) { product(id: $x) { id } }',
  'query ($x: Int = 1) { products(where: { name: { equals: "s3cr3t" }, or: [{ id: { in: [2, $x] } }] }) { totalCount } }',
  'query ($x: String = "a") { traits(where: { trait: { type: $x, equals: "s3cr3t" } }) { type } }',
  'query ($x: String = "a") { traits(types: ["s3cr3t", $x]) { type } }',
  'query ($x: FacetField = COMPONENT_NAME) { facets(fields: [PUBLIC_PRODUCT, $x]) { field } }',
  'query ($x: ID = "a") { nodes(nodeIds: ["s3cr3t", $x]) { nodeId } }',
  'query ($x: String = "a") { __type(name: $x) { name } }',
  `mutation ($x: Int = 1) { createProduct(input: { id: $x, ${values.replace('maxItems: 1', 'maxItems: $x')} }) { product { id } } }`,
  `mutation ($x: Boolean) { createProduct(input: { publicProduct: $x, ${values} }) { product { id } } }`,
  `mutation ($x: Boolean) { createProduct(input: { ${values} }, dryRun: $x) { product { id } } }`,
  `mutation ($x: String = "a") { createProduct(input: { blockchainId: 1, maxItems: 1, name: "n", document: { attributes: [{ traitType: $x, value: "s3cr3t" }] } }) { product { id } } }`,
  `mutation ($x: ImportMode) { importProducts(input: [{ ${values} }], mode: $x) { created } }`,
  `mutation ($x: Int = 1) { importProducts(input: [{ ${values} }, { ${values.replace('maxItems: 1', 'maxItems: $x')} }]) { created } }`,
  'mutation ($x: [String!] = []) { updateProducts(ids: [1], change: { name: "s3cr3t", removeTraits: $x }) { count } }',
  'mutation ($x: Int = 1) { deleteProducts(ids: [1, $x]) { count } }',
  'subscription ($x: String = "a") { productChanged(where: { trait: { type: $x, equals: "s3cr3t" } }) { cursor } }',
  // Fields inside others.
  'query ($x: Int = 1) { products { totalCountUpTo(limit: $x) } }',
  'query ($x: Int = 1) { ...F } fragment F on Query { ... on Query { p: products { ...G } } } fragment G on ProductTemplateConnection { totalCountUpTo(limit: $x) }',
  // Directives.
  'query ($x: Boolean = true) { viewer @include(if: $x) { name } }',
  'query ($x: Boolean = true) { product(id: 1) { revisions { nodes { contents { name @skip(if: $x) } } } } }',
  'query ($x: Boolean = true) { nodes(nodeIds: []) { ... on ProductTemplate @include(if: $x) { id } } }',
  'query ($x: Boolean = true) { __schema { types { ... @skip(if: $x) { name } } } }',
  `mutation ($x: Boolean = true) { createProduct(input: { ${values} }) { product { name @include(if: $x) } } }`,
  `mutation ($x: Boolean = true) { createProduct(input: { ${values} }) { ...F @skip(if: $x) } } fragment F on CreateProductPayload { product { id } }`,
  `mutation ($x: Boolean = true) { deleteProduct(id: 1) { userErrors { code } } createProduct(input: { ${values} }) { product { id } ... { userErrors { ...E } } } } fragment E on UserError { code @include(if: $x) }`,
  'subscription ($x: Boolean = true) { productChanged { cursor ... @include(if: $x) { action } } }'
]

t.test('a null variable is refused before anything runs, and no value is quoted', async t => {
  const { url, db, tokenFor } = await writer(t)
  await addTemplates(db, { id: 1 })
  const before = await storedTemplates(db)
  const token = await tokenFor('read write')
  for (const query of operations) {
    const headers = query.startsWith('subscription') ? { accept: 'text/event-stream' } : responseJson
    const response = await graphqlRequest(url, token, { query, variables: { x: null } }, headers)
    const text = await response.text()
    const body = JSON.parse(text.replace(/^event: next\ndata: |\n\nevent: complete\ndata:\n\n$/g, ''))
    t.match(
      body.errors,
      [{ message: /null/, locations: [{}], extensions: { code: 'BAD_USER_INPUT' } }],
      query
    )
    t.same([body.errors.length, 'data' in body], [1, false], query)
    t.notMatch(text, secret, query)
    t.equal(response.status, headers === responseJson ? 400 : 200)
  }
  t.same(await storedTemplates(db), before)
})

t.test('a variable that is absent, has a default or is not needed is accepted', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 })
  for (const query of operations.filter(text => !text.startsWith('subscription')))
    t.equal(
      (await send(query.replace('createProduct(input', 'createProduct(message: "m", input'), {})).errors,
      undefined,
      query
    )
  for (const query of [
    'query ($x: Int = 1) { product(id: $x) @skip(if: true) { id } viewer { name } }',
    'query ($x: Int = 1) { viewer { name } ... @include(if: false) { products { totalCountUpTo(limit: $x) } } }',
    'query A { viewer { name } } query B($x: Int = 1) { product(id: $x) { id } }',
    'query ($x: Int) { viewer { name } products(first: $x, where: { id: { equals: $x } }) { totalCount } }'
  ]) {
    const more = query.startsWith('query A') ? { operationName: 'A' } : {}
    t.match(await send(query, { x: null }, more), { errors: undefined, data: { viewer: {} } }, query)
  }
  t.match((await send(createText, { input: { blockchainId: 1, maxItems: 1, name: 'n', data: '{}' } })).data, {
    write: { userErrors: [] }
  })
})
