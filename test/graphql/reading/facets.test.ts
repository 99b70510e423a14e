/** `traits`: which traits there are, with their values and how many templates have them. */
import { t } from 'tap'
import { accessToken, query } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const data = (...attributes: object[]) => JSON.stringify({ attributes })
const trait = (trait_type: string, value?: unknown) => ({ trait_type, ...(value !== undefined && { value }) })

t.test('values are counted by template, lists by their texts', async t => {
  const { url, db } = await service(t)
  await addTemplates(
    db,
    { data: data(trait('MadeIn', 'Peru'), trait('Colors', ['red', 'blue', 'red'])), publicProduct: false },
    { data: data(trait('MadeIn', 'Peru'), trait('MadeIn', 'Peru'), trait('Units', 7)) },
    { data: data(trait('MadeIn', 'Kenya'), trait('Colors', ['red']), trait('Units', '7')) },
    { data: data(trait('MadeIn', ''), trait('Colors', []), trait('Nothing')) },
    { data: data(trait('MadeIn', 'É'), trait('Optional', true), trait('Optional', null)) },
    { data: '[0]' }
  )
  const token = await accessToken(url)
  const traits = async (more = '') =>
    (await query(url, token, `{ traits${more} { type values { text count } } }`)).body.data.traits.map(
      ({ type, values }: { type: string; values: { text: string; count: number }[] }) => [
        type,
        values.map(({ text, count }) => `${text}×${count}`)
      ]
    )
  t.same(await traits(), [
    ['Colors', ['red×2', 'blue×1']],
    ['MadeIn', ['Peru×2', '×1', 'Kenya×1', 'É×1']],
    ['Optional', ['null×1', 'true×1']],
    ['Units', ['7×1', '7×1']]
  ])
  t.same(await traits('(types: ["MadeIn", "Absent", "MadeIn"], first: 1)'), [['MadeIn', ['Peru×2']]])
  t.same(await traits('(where: { publicProduct: { equals: true } }, types: ["Colors", "MadeIn"])'), [
    ['Colors', ['red×1']],
    ['MadeIn', ['×1', 'Kenya×1', 'Peru×1', 'É×1']]
  ])
  t.same(await traits('(where: { search: "kenya" })'), [
    ['Colors', ['red×1']],
    ['MadeIn', ['Kenya×1']],
    ['Units', ['7×1']]
  ])
  t.same(await traits('(where: { id: { in: [] } })'), [])
  t.same(await traits('(types: [])'), [])
  const bad = await query(url, token, '{ traits(first: 101) { type } }')
  t.match(bad.body.errors, [{ message: /first must be a number from 0 to 100/ }])
})

t.test('the values of fields are counted', async t => {
  const { url, db } = await service(t)
  const odd = { componentName: 'Poster', blockchainId: 137, publicProduct: false }
  await addTemplates(db, {}, {}, odd, { ...odd, blockchainId: -1, name: 'Rare' })
  const token = await accessToken(url)
  const ask = async (more: string) =>
    (await query(url, token, `{ facets(${more}) { field values { value count } } }`)).body
  const { data: all } = await ask('fields: [PUBLIC_PRODUCT, BLOCKCHAIN_ID, PUBLIC_PRODUCT]')
  t.match(all.facets, [
    {
      field: 'PUBLIC_PRODUCT',
      values: [
        { value: false, count: 2 },
        { value: true, count: 2 }
      ]
    },
    { field: 'BLOCKCHAIN_ID', values: [{ count: 2 }, { value: -1, count: 1 }, { value: 137, count: 1 }] }
  ])
  const { data: some } = await ask('fields: [COMPONENT_NAME], where: { search: "rare" }')
  t.same(some.facets, [{ field: 'COMPONENT_NAME', values: [{ value: 'Poster', count: 1 }] }])
  t.match((await ask('fields: [], first: -1')).errors, [{ message: /first must be a number from 0 to 100/ }])
})

t.test('the numbers of a trait are counted in ranges, which work as filters', async t => {
  const { url, db } = await service(t)
  const prices = ['7,20', 48, '12.50', 'on request', ['3', '350.5'], '-', true, '1e3', ['350.5', '350']]
  await addTemplates(db, ...prices.map(price => ({ data: data(trait('Price', price), trait('Same', '5')) })))
  const token = await accessToken(url)
  const ask = async (text: string, variables = {}) => (await query(url, token, text, { variables })).body.data
  const { traits } = await ask('{ traits { type numbers { from to count } } }')
  const [price, same] = traits
  t.same(same, { type: 'Same', numbers: [{ from: 5, to: 5, count: 9 }] })
  t.match(price.numbers, {
    0: { from: 3, count: 3 },
    1: { count: 1 },
    9: { to: 350.5, count: 2 },
    length: 10
  })
  const count = 'query($trait: TraitFilter) { products(where: { trait: $trait }) { totalCount } }'
  for (const [at, { from, to, count: expected }] of price.numbers.entries()) {
    const bounds = at === 9 ? { gte: from, lte: to } : { gte: from, lt: to }
    const { products } = await ask(count, { trait: { type: 'Price', ...bounds } })
    t.equal(products.totalCount, expected, `${from} to ${to}`)
  }
  const few = await ask(
    '{ traits(where: { trait: { type: "Price", lt: 10 } }, types: ["Price"]) { numbers { count } } }'
  )
  t.equal(few.traits[0].numbers[0].count, 2)
})

t.test('every facet value works as a filter', async t => {
  const { url, db } = await service(t)
  const long = 'Name '.repeat(40)
  const text = 'Text '.repeat(40)
  await addTemplates(
    db,
    { data: data(trait('Units', 7), trait(long, text), trait('｡', 1)) },
    { data: data(trait('Units', '7'), trait('😀', 1)) },
    { data: data(trait('Units', ['7']), trait('Optional', true), trait('Colors', ['red', 'blue'])) },
    { data: data(trait('Units', 1.5), trait('Optional', 'true')) }
  )
  const token = await accessToken(url)
  const ask = async (text: string, variables = {}) => (await query(url, token, text, { variables })).body
  const { data: found } = await ask('{ traits { type values { text value valueType count } } }')
  t.equal(found.traits.length, 6)
  for (const { type, values } of found.traits) {
    t.same(
      (await ask('query($types: [String!]) { traits(types: $types) { type } }', { types: [type] })).data,
      {
        traits: [{ type }]
      }
    )
    for (const { value, valueType, count } of values) {
      // `contains` finds a part of a text as well.
      if (valueType === 'OTHER' || (type === 'Units' && valueType === 'ARRAY')) continue
      const where = { trait: { type, [valueType === 'ARRAY' ? 'contains' : 'equals']: value } }
      const { products } = (
        await ask('query($where: ProductTemplateFilter) { products(where: $where) { totalCount } }', {
          where
        })
      ).data
      t.equal(products.totalCount, count, JSON.stringify(where))
    }
  }
  const units = found.traits.find(({ type }: { type: string }) => type === 'Units').values
  t.same(
    units.map(({ value, valueType }: { value: unknown; valueType: string }) => [value, valueType]).sort(),
    [
      [1.5, 'OTHER'],
      ['7', 'ARRAY'],
      [7, 'INTEGER'],
      ['7', 'STRING']
    ]
  )
  const names = async (more: string) =>
    (await ask(`{ traits(${more}) { type values { text } } }`)).data.traits.map(
      ({ type }: { type: string }) => type
    )
  t.same(await names('types: ["😀", "｡", "Units"]'), ['Units', '｡', '😀'], 'in the order there is without')
  t.equal((await names('first: 0')).length, 6, 'the names alone')
  const many = await ask('query($types: [String!]) { traits(types: $types) { type } }', {
    types: Array.from({ length: 101 }, (_, index) => `t${index}`)
  })
  t.match(many.errors, [{ message: /types has more than 100 names/, extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('the truncated name of a trait stands for it, also if another trait has that name', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const ask = async (document: string, variables: object) =>
    (await query(url, token, document, { variables })).body.data
  const listTypes = async (...types: string[]) => {
    const document = 'query ($types: [String!]) { traits(types: $types) { type values { count } } }'
    const { traits } = await ask(document, types.length > 0 ? { types } : {})
    return traits.map(({ type }: { type: string }) => type)
  }
  const find = async (type: string) => {
    const document =
      'query ($type: String!) { a: products(where: { trait: { type: $type, contains: "v" } }) { nodes { id } } b: products(where: { not: { trait: { type: $type } } }) { nodes { id } } }'
    const { a, b } = await ask(document, { type })
    return [a, b].map(({ nodes }) => nodes.map(({ id }: { id: number }) => id).toSorted())
  }
  const long = 'Name '.repeat(40)
  await addTemplates(db, { data: data(trait(long, 'v')) })
  const [shown] = await listTypes()
  t.same(
    [await find(long), await find(shown)],
    [
      [[0], []],
      [[0], []]
    ],
    'the truncated name stands for the trait'
  )
  await addTemplates(
    db,
    { id: 1, data: data(trait(shown, 'v')) },
    { id: 2, data: data(trait(long, 'v'), trait(shown, 'v')) }
  )
  for (const name of [long, shown]) {
    t.same(await find(name), [[0, 1, 2], []])
    t.same(await listTypes(name), [shown])
  }
  t.same(await listTypes(), [shown])
})

t.test('deleted templates are neither counted nor found', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { name: 'Lamp', data: data(trait('MadeIn', 'Peru')) })
  await db.deleteFrom('product_template').execute()
  const token = await accessToken(url)
  const { body } = await query(
    url,
    token,
    '{ traits { type } products(where: { search: "lamp" }) { totalCount } allProducts(where: { trait: { type: "MadeIn" } }) { id } }'
  )
  t.same(body.data, { traits: [], products: { totalCount: 0 }, allProducts: [] })
  await addTemplates(db, { name: 'Desk', data: data(trait('MadeIn', 'Kenya')) })
  const wheres = [
    'search: "lamp"',
    'search: "desk"',
    'name: { contains: "lam" }',
    'name: { contains: "desk" }',
    'trait: { type: "MadeIn", contains: "Peru" }',
    'trait: { type: "MadeIn", contains: "Keny" }'
  ]
  const counts = wheres.map((where, index) => `a${index}: products(where: { ${where} }) { totalCount }`)
  const again = await query(url, token, `{ ${counts.join(' ')} }`)
  t.same(
    Object.values(again.body.data),
    [0, 1, 0, 1, 0, 1].map(totalCount => ({ totalCount })),
    'nor under its number, when that is given again'
  )
})

t.test('facets and filters cost what they may read: all values, even of few templates', async t => {
  const { url, db } = await service(t, { graphqlMaxCost: 1000 })
  const token = await accessToken(url)
  const ask = async (where: object) => {
    const variables = { where }
    const document = `query ($where: ProductTemplateFilter) { ask: %s }`
    const facets = await query(url, token, document.replace('%s', 'traits(where: $where) { type }'), {
      variables
    })
    const page = await query(url, token, document.replace('%s', 'products(where: $where) { totalCount }'), {
      variables
    })
    return [facets.body, page.body].map(({ errors }) => errors?.[0].extensions.code)
  }
  const many = Array.from({ length: 120_000 }, (_, value) => `${value}`)
  await addTemplates(db, { data: data(trait('Numbers', many)) })
  t.same(
    await ask({ publicProduct: { equals: true } }),
    ['COST_LIMIT', undefined],
    'the page reads no values'
  )
  for (const condition of [{ gt: 90_000 }, { contains: 'none' }, { exists: false }])
    t.same(await ask({ trait: { type: 'Numbers', ...condition } }), ['COST_LIMIT', 'COST_LIMIT'])
})
