/** `allProducts`, which reads long lists in several statements. */
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  parse
} from 'graphql'
import { t } from 'tap'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { parseDocument } from '../../../domain/document.ts'
import { productTemplates } from '../../../index.ts'
import { hostDatabase } from '../../support/database/host-database.ts'
import fc from '../../support/generated/fast-check.ts'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  host,
  service,
  storedTemplates,
  testLimits
} from '../../support/service/service.ts'
import { addAwkwardTemplates } from './store.ts'

const schema = buildSchema(readFileSync(new URL('../../../graphql/schema.graphql', import.meta.url), 'utf8'))

/** What graphql-js answers for templates that are in memory. */
function executed(templates: ProductTemplate[], source: string, variableValues: object): ExecutionResult {
  const types = schema.getTypeMap()
  const template = types.ProductTemplate as GraphQLObjectType
  const { document } = template.getFields()
  if (document) document.resolve = ({ data }: ProductTemplate) => parseDocument(data)
  return execute({
    schema,
    document: parse(source),
    rootValue: { allProducts: () => templates },
    variableValues: variableValues as Record<string, unknown>
  }) as ExecutionResult
}

const scalars = ['id', 'blockchainId', 'name', 'publicProduct', 'timeModified', 'data', '__typename']
const traitFields = ['traitType', 'value', 'valueType', 'text', '__typename']
const documentFields = ['productId', 'description', 'externalUrl', 'image', 'name', 'component']

/** Selections of a template: aliases, fragments, directives, the same field twice. */
const selection = fc
  .array(
    fc.oneof(
      fc.constantFrom(...scalars),
      fc
        .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('id', 'name'))
        .map(([alias, name]) => `${alias}${name}: ${name}`),
      fc
        .tuple(fc.constantFrom('include', 'skip'), fc.constantFrom('$yes', '$no', 'true'))
        .map(([directive, value]) => `maxItems @${directive}(if: ${value})`),
      fc
        .subarray(traitFields, { minLength: 1 })
        .map(names => `document { attributes { ${names.join(' ')} } }`),
      fc
        .subarray(documentFields, { minLength: 1 })
        .map(names => `...on ProductTemplate { document { ${names.join(' ')} } }`),
      fc.constantFrom('...F', '...F @include(if: $no)', '...on ProductTemplate @skip(if: $yes) { name }')
    ),
    { minLength: 1, maxLength: 6 }
  )
  .map(parts => parts.join(' '))

t.test('each field of a template is the same in the list as in a page', async t => {
  const { url, db } = await service(t)
  await addAwkwardTemplates(db, 40)
  const { ProductTemplate } = schema.getTypeMap() as Record<string, GraphQLObjectType>
  const fields = Object.values(ProductTemplate?.getFields() ?? {}).filter(({ args }) => args.length === 0)
  const leaves = fields.filter(({ type }) => isLeafType(getNamedType(type))).map(({ name }) => name)
  t.ok(['data', 'hash', 'nodeId'].every(name => leaves.includes(name)))
  const selected = `${leaves.join(' ')} document { name attributes { traitType value text } }`
  const { body } = await query(
    url,
    await accessToken(url),
    `{ allProducts { ${selected} } products(first: 100) { nodes { ${selected} } } }`
  )
  t.equal(body.data.allProducts.length, 40)
  t.same(body.data.allProducts, body.data.products.nodes)
})

t.test('the list is written as graphql-js would execute and serialize it', async t => {
  const { url, db } = await service(t)
  await addAwkwardTemplates(db, 70)
  const templates = await storedTemplates(db)
  const token = await accessToken(url)
  const variables = { yes: true, no: false }
  await fc.assert(
    fc.asyncProperty(selection, async fields => {
      const query = `query($yes: Boolean = true, $no: Boolean = false) { list: allProducts { ${fields} } again: allProducts { id @skip(if: $no) ...F maxItems @include(if: $yes) } }
        fragment F on ProductTemplate { timeCreated document { component attributes { text } } }`
      const response = await graphqlRequest(url, token, { query, variables })
      const wanted = JSON.stringify(executed(templates, query, variables))
      const text = await response.text()
      if (text !== wanted) throw new Error(`${fields}\n${text.slice(0, 500)}\n${wanted.slice(0, 500)}`)
    }),
    { numRuns: 75 }
  )
  t.pass()
})

t.test('a long list is of one moment, whatever is written while it is read', async t => {
  const { url, db } = await service(t)
  await addAwkwardTemplates(db, 2500)
  const token = await accessToken(url)
  const ids = (await storedTemplates(db)).map(({ id }) => id)
  const ends = [ids[0], ids.at(-1)] as number[]
  const write = (maxItems: number) =>
    // Not the time, which orders the list.
    db.updateTable('product_template').set({ max_items: maxItems }).where('id', 'in', ends).execute()
  let written = 1
  let isOver = false
  await write(written)
  const writing = (async () => {
    while (!isOver) {
      await write(++written)
      // Otherwise SQLite's statements would follow each other without a turn of the event loop.
      await setImmediate()
    }
  })()
  for (let lists = 0; lists < 10; lists++) {
    const { body } = await query(url, token, `{ allProducts { id maxItems } } # ${lists}`)
    const list = body.data.allProducts
    t.same([list.length, list[0].id, list.at(-1).id, list.at(-1).maxItems], [2500, ...ends, list[0].maxItems])
  }
  isOver = true
  await writing
  t.ok(written > 20, `${written} writes`)
})

/** Templates that a long list reads at once. */
const batch = 1000

t.test('after a field has failed, the others end with the response', async t => {
  let reads = 0
  const { db: opened } = await hostDatabase(t)
  await addUser(opened)
  await addClient(opened)
  await addAwkwardTemplates(opened, 3000)
  const db = opened.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      // The first batch has a row more: whether others follow.
      if (result.rows.length >= batch) reads++
      return result
    }
  })
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  const { body } = await query(
    origin,
    token,
    '{ bad: products(first: 1000) { totalCount } all: allProducts { id } }'
  )
  t.match(body, { data: null, errors: [{ path: ['bad'] }] })
  t.equal((await query(origin, token, '{ allProducts { id } }')).body.data.allProducts.length, 3000)
  const all = 3000 / batch
  t.ok(reads >= all && reads < 2 * all, `${reads} reads: those of the second list, and few of the first`)
})

t.test('an offset beyond the end is an empty list', async t => {
  const { url, db } = await service(t)
  await addAwkwardTemplates(db, 3)
  const { body } = await query(url, await accessToken(url), '{ allProducts(offset: 2147483647) { id } }')
  t.same(body, { data: { allProducts: [] } })
})

t.test('an alias may be __proto__, and a template has all its fields in a list', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 7, data: '{"name":"Mug"}' }, { id: 8 })
  const token = await accessToken(url)
  const aliased = '{ allProducts(limit: 1) { __proto__: id document { __proto__: name } } }'
  const ask = async () => (await graphqlRequest(url, token, { query: aliased })).text()
  const executed = await ask()
  t.match(
    executed,
    /^\{"data":\{"allProducts":\[\{"__proto__":[78],"document":\{"__proto__":("Mug"|null)\}\}\]\}\}$/
  )
  t.equal(await ask(), executed, 'also when it is compiled')
  const { body } = await query(
    url,
    token,
    '{ allProducts(orderBy: { field: ID, direction: ASC }) { revisions(first: 1) { nodes { templateId number } } } }'
  )
  t.same(body, {
    data: { allProducts: [7, 8].map(templateId => ({ revisions: { nodes: [{ templateId, number: 1 }] } })) }
  })
})

t.test('a list is whole in a store that has just grown beyond one statement', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const count = async (text: string) => (await query(url, token, text)).body.data.allProducts.length
  await addTemplates(db, ...Array.from({ length: 600 }, (_, id) => ({ id })))
  t.equal(await count('query Before { allProducts { id } }'), 600)
  await addTemplates(db, ...Array.from({ length: 600 }, (_, id) => ({ id: 600 + id })))
  for (const limit of ['', '(limit: 1200)']) t.equal(await count(`{ allProducts${limit} { id } }`), 1200)
})
