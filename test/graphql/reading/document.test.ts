/** `ProductTemplate.document`: what `data` says, read only when it is asked for. */
import { t } from 'tap'
import { accessToken, query } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const fields = `document {
  productId description externalUrl image name component
  attributes { traitType value valueType text }
}`

t.test('each value comes as in the JSON, with its type', async t => {
  const { url, db } = await service(t)
  const attributes = [
    { trait_type: 'ProductType', value: 'Mug' },
    { trait_type: 'UnitsProduced', value: 250 },
    { trait_type: 'UnitsProduced', value: '' },
    { trait_type: 'EmailOptional', value: false },
    { trait_type: 'EmailOptional' },
    { trait_type: 'EmailOptional', value: null },
    { trait_type: 'FeaturesArray', value: ['red', 'blue, light'] },
    { trait_type: 'FeaturesArray', value: [] },
    { trait_type: 'Odd', value: [1] },
    { trait_type: 'Odd', value: { a: 1.5 } },
    { value: 'without a name' },
    'not an entry'
  ]
  const document = {
    productId: 7,
    description: 'two\nlines',
    external_url: '',
    image: 'ipfs://x',
    name: 'Mug "1"',
    component: '',
    attributes
  }
  await addTemplates(db, { data: JSON.stringify(document, null, 2) })
  const { body } = await query(url, await accessToken(url), `{ product(id: 0) { ${fields} } }`)
  t.same(body.data.product.document, {
    productId: 7,
    description: 'two\nlines',
    externalUrl: '',
    image: 'ipfs://x',
    name: 'Mug "1"',
    component: '',
    attributes: [
      { traitType: 'ProductType', value: 'Mug', valueType: 'STRING', text: 'Mug' },
      { traitType: 'UnitsProduced', value: 250, valueType: 'INTEGER', text: '250' },
      { traitType: 'UnitsProduced', value: '', valueType: 'STRING', text: '' },
      { traitType: 'EmailOptional', value: false, valueType: 'BOOLEAN', text: 'false' },
      { traitType: 'EmailOptional', value: null, valueType: 'ABSENT', text: '' },
      { traitType: 'EmailOptional', value: null, valueType: 'OTHER', text: 'null' },
      {
        traitType: 'FeaturesArray',
        value: ['red', 'blue, light'],
        valueType: 'ARRAY',
        text: 'red, blue, light'
      },
      { traitType: 'FeaturesArray', value: [], valueType: 'ARRAY', text: '' },
      { traitType: 'Odd', value: [1], valueType: 'OTHER', text: '[1]' },
      { traitType: 'Odd', value: { a: 1.5 }, valueType: 'OTHER', text: '{"a":1.5}' }
    ]
  })
})

t.test('data that is not an object, and values of other types, are null', async t => {
  const { url, db } = await service(t)
  await addTemplates(
    db,
    { data: '[0]' },
    { data: 'null' },
    { data: 'no JSON' },
    { data: '{"productId":1.5,"description":1,"attributes":{"a":1}}' },
    { data: '{"productId":"","attributes":[]}' }
  )
  const token = await accessToken(url)
  const documents = (
    await query(url, token, `{ allProducts(orderBy: { field: ID, direction: ASC }) { ${fields} data } }`)
  ).body.data.allProducts
  const nothing = {
    description: null,
    externalUrl: null,
    image: null,
    name: null,
    component: null,
    attributes: []
  }
  t.same(
    documents.map(({ document }: { document: unknown }) => document),
    [null, null, null, { productId: null, ...nothing }, { productId: '', ...nothing }]
  )
  t.equal(documents[2].data, 'no JSON')
})

t.test('documents are not read unless they are selected', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {}, {})
  const token = await accessToken(url)
  const asked = async (text: string) => (await query(url, token, text)).body
  // The first operation reads the statistics of the documents.
  await asked('{ allProducts { id } }')
  // A reader of the column would find out.
  await db.schema.alterTable('product_template').renameColumn('data', 'gone').execute()
  t.match(
    await asked('{ products { nodes { id name } totalCount } product(id: 0) { id } allProducts { id } }'),
    {
      data: { products: { totalCount: 2 }, allProducts: [{ id: 1 }, { id: 0 }] }
    }
  )
  for (const text of [
    '{ allProducts { data } }',
    '{ product(id: 0) { ...P } } fragment P on ProductTemplate { document { name } }',
    '{ products { edges { node { ... { a: data } } } } }'
  ])
    t.match(await asked(text), { errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] })
})

t.test('an extremely nested value is null and does not affect other templates', async t => {
  const { url, db } = await service(t)
  const nested = (levels: number) =>
    `{"attributes":[{"trait_type":"A","value":${'['.repeat(levels)}${']'.repeat(levels)}}]}`
  await addTemplates(db, { id: 1, data: nested(100_000) }, { id: 2, data: nested(50) })
  const { body } = await query(
    url,
    await accessToken(url),
    '{ allProducts(orderBy: { field: ID, direction: ASC }) { document { attributes { valueType text } } } }'
  )
  t.same(
    body.data.allProducts.map(({ document }: { document: { attributes: object[] } }) => document.attributes),
    [[{ valueType: 'OTHER', text: 'null' }], [{ valueType: 'OTHER', text: '['.repeat(50) + ']'.repeat(50) }]]
  )
})

t.test('long documents come whole, wherever they are selected', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const data = [1, 20_000, 50_000].map(length =>
    JSON.stringify({ name: 'Óäk "🍏" '.repeat(length) }, null, 1)
  )
  await addTemplates(db, ...data.map(data => ({ data })))
  const expected = data.map((data, id) => ({ id, data, document: JSON.parse(data), again: JSON.parse(data) }))
  const selected = '{ id data document { name } again: document { name } }'
  const order = 'orderBy: { field: ID, direction: ASC }'
  const { body } = await query(
    url,
    token,
    `{
      product(id: 1) ${selected}
      products(${order}) { nodes ${selected} edges { node ${selected} } }
      allProducts(${order}) ${selected}
      some: allProducts(${order}, where: { id: { gt: 0 } }) { document { name } id }
    }`
  )
  t.strictSame(body, {
    data: {
      product: expected[1],
      products: { nodes: expected, edges: expected.map(node => ({ node })) },
      allProducts: expected,
      some: expected.slice(1).map(({ document, id }) => ({ document, id }))
    }
  })
})

t.test('a document may have 200,000 attributes', async t => {
  const { url, db } = await service(t)
  const attributes = Array.from({ length: 200_000 }, (_, index) => ({
    trait_type: 'Part',
    value: index % 100
  }))
  await addTemplates(db, { name: 'the one', data: JSON.stringify({ attributes }) })
  const { body } = await query(
    url,
    await accessToken(url),
    '{ products(where: { search: "99 one", trait: { type: "Part", equals: 7 } }) { totalCount } }'
  )
  t.strictSame(body, { data: { products: { totalCount: 1 } } })
})

t.test('a document is written at any depth, in edges as in nodes', async t => {
  const { url, db } = await service(t)
  const data = JSON.stringify({ name: 'Deep', description: 'long '.repeat(8000) })
  await addTemplates(db, { id: 12, data }, { id: 13, data: '{"name":"Short"}' })
  const token = await accessToken(url)
  for (const [id, expected] of [
    [12, { document: { name: 'Deep' }, data }],
    [13, { document: { name: 'Short' }, data: '{"name":"Short"}' }]
  ]) {
    const { body } = await query(
      url,
      token,
      `{ product(id: ${id}) { revisions { edges { node { contents { document { name } data } } } } } }`
    )
    t.same(body.data.product.revisions.edges, [{ node: { contents: expected } }])
  }
})

t.test('a selection that becomes empty is an empty object, also of a long document', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 1, data: JSON.stringify({ description: 'long '.repeat(8000) }) })
  const token = await accessToken(url)
  const ask = async (selection: string) => (await query(url, token, selection)).body.data
  t.same(await ask('{ allProducts { data @skip(if: true) } }'), { allProducts: [{}] })
  t.same(await ask('{ allProducts { document { name @skip(if: true) } } }'), {
    allProducts: [{ document: {} }]
  })
  t.same(await ask('{ product(id: 1) { document { name @skip(if: true) } } }'), { product: { document: {} } })
})

t.test('a skipped document is not read, and does not make a result too large', async t => {
  const { url, db } = await service(t, { graphqlMaxResultSize: 4096 })
  await addTemplates(db, { id: 1, data: JSON.stringify({ description: 'long '.repeat(1000) }) })
  const token = await accessToken(url)
  const ask = async (skips: boolean) =>
    (await query(url, token, `{ allProducts { id data @skip(if: ${skips}) } }`)).body
  t.match(await ask(false), { errors: [{ extensions: { code: 'RESULT_TOO_LARGE' } }] })
  t.same(await ask(true), { data: { allProducts: [{ id: 1 }] } })
})
