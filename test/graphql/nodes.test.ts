/** Identifiers among all objects, and what caches of clients need. */
import { readFileSync } from 'node:fs'
import { buildSchema, isObjectType } from 'graphql'
import { type Test, t } from 'tap'
import { toNodeId } from '../../graphql/relay.ts'
import { productTemplates } from '../../index.ts'
import { users } from '../../store.ts'
import { hostDatabase } from '../support/database/host-database.ts'
import { accessToken, query } from '../support/http/http.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  host,
  service,
  testLimits,
  user
} from '../support/service/service.ts'

const values =
  'blockchainId: 1, maxItems: 1, name: "first", publicProduct: false, componentName: "DefaultProduct", data: "{}"'

/** Starts a service with a template of two revisions, 7, and one that was deleted, 8. */
async function withHistory(t: Test) {
  const running = await service(t)
  const token = await accessToken(running.url)
  const ask = async (text: string) => (await query(running.url, token, text)).body
  await ask(`mutation {
    a: createProduct(input: { id: 7, ${values} }) { userErrors { code } }
    b: updateProduct(id: 7, input: { name: "second" }) { userErrors { code } }
    c: createProduct(input: { id: 8, ${values} }) { userErrors { code } }
    d: deleteProduct(id: 8) { userErrors { code } }
  }`)
  return { ...running, ask }
}

t.test('every object with an identifier is found by it', async t => {
  const { ask } = await withHistory(t)
  const { data } = await ask(`{
    product(id: 7) { nodeId revisions { nodes { nodeId author { nodeId } } } }
    gone: productRevisions(id: 8) { nodes { nodeId action } }
  }`)
  const { nodeId, revisions } = data.product
  const [second, first] = revisions.nodes as { nodeId: string; author: { nodeId: string } }[]
  const [deletion] = data.gone.nodes
  const ids = [nodeId, first?.nodeId, second?.nodeId, first?.author.nodeId, deletion.nodeId]
  t.equal(new Set(ids).size, 5)
  t.equal(second?.author.nodeId, first?.author.nodeId, 'the same author')
  const found = await ask(`{ nodes(nodeIds: ${JSON.stringify(ids)}) {
    __typename nodeId
    ... on ProductTemplate { name }
    ... on ProductRevision { number contents { name } author { name } }
    ... on RevisionAuthor { name clientName }
  } }`)
  t.same(found.data.nodes, [
    { __typename: 'ProductTemplate', nodeId, name: 'second' },
    {
      __typename: 'ProductRevision',
      nodeId: ids[1],
      number: 1,
      contents: { name: 'first' },
      author: { name: 'Ada Byron' }
    },
    {
      __typename: 'ProductRevision',
      nodeId: ids[2],
      number: 2,
      contents: { name: 'second' },
      author: { name: 'Ada Byron' }
    },
    { __typename: 'RevisionAuthor', nodeId: ids[3], name: 'Ada Byron', clientName: 'test-client' },
    {
      __typename: 'ProductRevision',
      nodeId: ids[4],
      number: 2,
      contents: null,
      author: { name: 'Ada Byron' }
    }
  ])
  for (const id of ids)
    t.equal((await ask(`{ node(nodeId: "${id}") { nodeId } }`)).data.node.nodeId, id, String(id))
})

t.test('what is no identifier finds nothing', async t => {
  const { ask, db } = await withHistory(t)
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const wrong = [
    '',
    'x',
    '💥',
    encode(7),
    encode([]),
    encode({}),
    encode(['ProductTemplate']),
    encode(['ProductTemplate', '7']),
    encode(['ProductTemplate', 7.5]),
    encode(['ProductTemplate', 2 ** 31]),
    encode(['ProductTemplate', 7, 1]),
    encode(['ProductTemplate', 9]),
    encode(['ProductRevision', 7]),
    encode(['ProductRevision', 7, 3]),
    encode(['ProductRevision', 7, 2 ** 31]),
    encode(['ProductRevision', 7, 0]),
    encode(['RevisionAuthor', null, null, null]),
    encode(['RevisionAuthor', 'x\0', 'y', null]),
    encode(['RevisionAuthor', '\ud800', 'y', null]),
    encode(['__proto__', 7]),
    encode(['constructor', 7]),
    encode(['Query'])
  ]
  const { data, errors } = await ask(`{ nodes(nodeIds: ${JSON.stringify(wrong)}) { nodeId } }`)
  t.notOk(errors)
  t.same(
    data.nodes,
    wrong.map(() => null)
  )
  const many = JSON.stringify(Array.from({ length: 101 }, () => encode(['ProductTemplate', 7])))
  t.match((await ask(`{ nodes(nodeIds: ${many}) { nodeId } }`)).errors[0].extensions, {
    code: 'BAD_USER_INPUT'
  })
  await addTemplates(db, { id: 9 })
  const made = await ask(`{ node(nodeId: "${encode(['ProductTemplate', 9])}") { nodeId } }`)
  t.ok(made.data.node, 'nothing was kept')
})

t.test('a rule on templates also holds for identifiers', async t => {
  const { ask, db } = await withHistory(t)
  const { data } = await ask('{ product(id: 7) { nodeId revisions { nodes { nodeId } } } }')
  const [second, first] = data.product.revisions.nodes
  await users.update(db, user.email, { where: { name: { equals: 'first' } } })
  const author = toNodeId('RevisionAuthor', null, 'test-client', null)
  const ids = [data.product.nodeId, first.nodeId, second.nodeId, author]
  const found = await ask(`{ nodes(nodeIds: ${JSON.stringify(ids)}) { nodeId }
    one: productRevision(id: 7, number: 1) { number } two: productRevision(id: 7, number: 2) { number }
    productRevisions(id: 7) { nodes { number } } }`)
  t.same(found.data, {
    nodes: [null, { nodeId: first.nodeId }, null, null],
    one: { number: 1 },
    two: null,
    productRevisions: { nodes: [{ number: 1 }] }
  })
})

for (const where of [null, { id: { gte: 1 } }])
  t.test(`one statement reads all templates, in their order${where ? ', with a rule' : ''}`, async t => {
    const statements: string[] = []
    const { db } = await hostDatabase(t, { log: ({ query }) => void statements.push(query.sql) })
    await addUser(db)
    await users.update(db, user.email, { where })
    await addClient(db)
    await addTemplates(db, ...Array.from({ length: 5 }, (_, id) => ({ id })))
    const app = host(t)
    await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const token = await accessToken(url)
    const [a, b, none, c] = [4, 0, 7, 1].map(id => toNodeId('ProductTemplate', id))
    const text = `{ nodes(nodeIds: ${JSON.stringify([a, 'wrong', b, none, a, c])}) { ... on ProductTemplate { id } } }`
    const { body } = await query(url, token, text)
    t.same(body.data.nodes, [{ id: 4 }, null, where ? null : { id: 0 }, null, { id: 4 }, { id: 1 }])
    t.equal(statements.filter(sql => sql.includes('as "id" from product_template')).length, 1)
  })

t.test('payloads have what the cache of a client needs', async t => {
  const { ask } = await withHistory(t)
  const { data } = await ask(`mutation {
    made: createProduct(input: { id: 9, ${values} }) { product { nodeId } productEdge { cursor node { id } } }
    wrong: createProduct(input: { id: 9, ${values} }) { productEdge { cursor } userErrors { code } }
    changed: updateProduct(id: 7, input: { name: "third" }) { productEdge { cursor node { name } } }
    conflict: updateProduct(id: 7, input: { name: "x" }, expectedRevision: 1) { product { name } productEdge { cursor } }
    kept: deleteProduct(id: 7, expectedRevision: 1) { deletedNodeId }
    dry: deleteProduct(id: 7, dryRun: true) { product { id } deletedNodeId userErrors { code } }
    dryChange: updateProduct(id: 7, input: { name: "dry" }, dryRun: true) { product { name } productEdge { cursor } }
    gone: deleteProduct(id: 9) { deletedNodeId }
    back: restoreProduct(id: 9, revision: 1) { productEdge { node { id } } }
    many: updateProducts(ids: [7, 9], change: { maxItems: 3 }) { written { templateId revision } }
    none: deleteProducts(ids: [9]) { deletedNodeIds }
  }`)
  t.match(data, {
    made: { productEdge: { node: { id: 9 } } },
    wrong: { productEdge: null, userErrors: [{ code: 'ID_TAKEN' }] },
    changed: { productEdge: { node: { name: 'third' } } },
    conflict: { product: { name: 'third' }, productEdge: null },
    kept: { deletedNodeId: null },
    dry: { product: { id: 7 }, deletedNodeId: null, userErrors: [] },
    dryChange: { product: { name: 'dry' }, productEdge: null },
    gone: { deletedNodeId: data.made.product.nodeId },
    back: { productEdge: { node: { id: 9 } } },
    many: {
      written: [
        { templateId: 7, revision: 4 },
        { templateId: 9, revision: 4 }
      ]
    },
    none: { deletedNodeIds: [data.made.product.nodeId] }
  })
  const after = await ask(`{ products(after: "${data.changed.productEdge.cursor}") { nodes { id } } }`)
  t.notOk(after.errors, 'the cursor is one of the default order')
})

t.test('no type with an `id` occurs with different contents', async t => {
  const schema = buildSchema(readFileSync(new URL('../../graphql/core.graphql', import.meta.url), 'utf8'))
  const withId = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(type => type.getFields().id)
  t.same(withId.map(({ name }) => name).sort(), ['BulkChange', 'ProductTemplate'])
})
