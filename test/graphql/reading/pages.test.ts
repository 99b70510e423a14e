/** `products`: the Relay Cursor Connections Specification, and pages that stay right while templates change. */
import { type Test, t } from 'tap'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { matches } from '../../reference/filter.ts'
import { sortTemplates } from '../../reference/order.ts'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'
import { addAwkwardTemplates } from './store.ts'

const text = `query Page($first: Int, $after: String, $last: Int, $before: String, $where: ProductTemplateFilter, $orderBy: ProductTemplateOrder) {
  products(first: $first, after: $after, last: $last, before: $before, where: $where, orderBy: $orderBy) {
    edges { cursor node { id name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

interface Page {
  edges: { cursor: string; node: { id: number; name: string } }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
}

type Pager = (variables: object) => Promise<Page>

async function store(t: Test, count: number) {
  const { url, db } = await service(t)
  const templates = await addAwkwardTemplates(db, count)
  const token = await accessToken(url)
  const page: Pager = async variables => {
    const { body } = await query(url, token, text, { variables })
    if (body.errors) throw new Error(JSON.stringify(body))
    return body.data.products
  }
  const refusal = async (variables: object) => (await query(url, token, text, { variables })).body.errors?.[0]
  return { url, db, token, templates, page, refusal }
}

const ids = ({ edges }: Page) => edges.map(({ node }) => node.id)

/** Goes through all pages of a list, forward by one size and backward by another. */
async function walk(t: Test, page: Pager, [first, last]: [number, number], list: object, wanted: number[]) {
  const forward: number[] = []
  let after: string | null = null
  do {
    const got: Page = await page({ first, after, ...list })
    t.equal(got.pageInfo.hasPreviousPage, after !== null)
    forward.push(...ids(got))
    after = got.pageInfo.hasNextPage ? got.pageInfo.endCursor : null
  } while (after)
  t.same(forward, wanted, JSON.stringify(list))
  const backward: number[] = []
  let before: string | null = null
  do {
    const got: Page = await page({ last, before, ...list })
    t.equal(got.pageInfo.hasNextPage, before !== null)
    backward.unshift(...ids(got))
    before = got.pageInfo.hasPreviousPage ? got.pageInfo.startCursor : null
  } while (before)
  t.same(backward, wanted)
}

const keys: Record<string, (template: ProductTemplate) => string | number> = {
  TIME_MODIFIED: ({ timeModified }) => timeModified,
  TIME_CREATED: ({ timeCreated }) => timeCreated,
  NAME: ({ name }) => name.toLowerCase().normalize('NFC'),
  ID: ({ id }) => id,
  COMPONENT_NAME: ({ componentName }) => componentName,
  BLOCKCHAIN_ID: ({ blockchainId }) => blockchainId,
  PUBLIC_PRODUCT: ({ publicProduct }) => Number(publicProduct),
  MAX_ITEMS: ({ maxItems }) => maxItems
}

/** By code points, as UTF-8 sorts. */
const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' ? a - (b as number) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)))

t.test('paging in every order and direction returns each template once', async t => {
  const { page, templates } = await store(t, 130)
  for (const field of Object.keys(keys)) {
    for (const direction of ['ASC', 'DESC']) {
      const orderBy = { field, direction }
      const sign = direction === 'ASC' ? 1 : -1
      const key = keys[field] as (template: ProductTemplate) => string | number
      const wanted = templates
        .toSorted((a, b) => sign * (compare(key(a), key(b)) || a.id - b.id))
        .map(({ id }) => id)
      await walk(t, page, [17, 23], { orderBy }, wanted)
    }
  }
})

t.test('paging by a trait: numbers, other texts, and at last the templates without it', async t => {
  const { page, templates } = await store(t, 130)
  for (const trait of ['MadeIn', 'Note', 'FeaturesArray', 'Nothing has it'])
    for (const direction of ['ASC', 'DESC'] as const) {
      const orderBy = { trait, direction }
      const order = { ...orderBy, field: 'ID' } as const
      for (const where of [{}, { id: { lt: 150 } }, { search: 'odd' }]) {
        const wanted = sortTemplates(
          templates.filter(template => matches(template, where)),
          order
        )
        await walk(
          t,
          page,
          [17, 23],
          { orderBy, where },
          wanted.map(({ id }) => id)
        )
      }
    }
})

t.test('numbers of a trait are in the order of numbers, whatever their type', async t => {
  const { url, token, page } = await store(t, 0)
  const greatest = Number.MAX_SAFE_INTEGER
  const values = [
    ...['9,5', 10, '-3', 'ten', '7.', '1e3', '0010', 2, '1,000', '9.4', 'Zebra', 'apple', undefined],
    ...[
      -greatest,
      -999_999_999_999_999,
      greatest,
      '9007199254740990',
      '12345678901234567',
      '123456789012.255'
    ]
  ]
  for (const [at, value] of values.entries()) {
    const attributes = [{ trait_type: 'Price', ...(value === undefined ? {} : { value }) }]
    const document = JSON.stringify({ attributes })
    const mutation = `mutation($data: String!) { createProduct(input: { id: ${at}, blockchainId: 1, maxItems: 1,
      name: "x", componentName: "Test", data: $data }) { userErrors { message } } }`
    const { body } = await query(url, token, mutation, { variables: { data: document } })
    t.same(body.data.createProduct.userErrors, [])
  }
  const shown = async (direction: string) =>
    ids(await page({ orderBy: { trait: 'Price', direction } })).map(id => values[id])
  t.same(await shown('ASC'), [
    -greatest,
    -999_999_999_999_999,
    '-3',
    2,
    '9.4',
    '9,5',
    '0010',
    10,
    '9007199254740990',
    greatest,
    '1,000',
    '123456789012.255',
    '12345678901234567',
    '1e3',
    '7.',
    'Zebra',
    'apple',
    'ten',
    undefined
  ])
  t.same((await shown('DESC')).slice(0, 3), ['ten', 'apple', 'Zebra'])
  const above = await page({ where: { trait: { type: 'Price', gt: greatest - 1 } } })
  t.same(
    ids(above).map(id => values[id]),
    [greatest]
  )
})

t.test('the name of a trait to order by is as short as in a filter, because each cursor has it', async t => {
  const { url, token } = await store(t, 3)
  const ask = async (trait: string) =>
    (
      await query(
        url,
        token,
        `query ($orderBy: ProductTemplateOrder) {
          products(orderBy: $orderBy) { edges { cursor } } allProducts(orderBy: $orderBy) { id }
        }`,
        { variables: { orderBy: { trait } } }
      )
    ).body
  for (const longest of ['x', '🍏']) t.equal((await ask(longest.repeat(1000))).data.products.edges.length, 3)
  const message = 'orderBy.trait has more than 1000 characters'
  t.match((await ask('x'.repeat(1001))).errors, [{ message, extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('an order by name has the names that plain SQL has just written', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 1, name: 'b' }, { id: 2, name: 'c' })
  const token = await accessToken(url)
  const orderBy = 'orderBy: { field: NAME, direction: ASC }'
  const listNames = async () => {
    const page = await query(url, token, `{ products(first: 2, ${orderBy}) { nodes { name } } }`)
    const list = await query(url, token, `{ allProducts(limit: 2, ${orderBy}) { name } }`)
    return [page.body.data.products.nodes, list.body.data.allProducts]
  }
  const [b, c, a] = [{ name: 'b' }, { name: 'c' }, { name: 'a' }]
  t.same(await listNames(), [
    [b, c],
    [b, c]
  ])
  await db.updateTable('product_template').set({ name: 'a' }).where('id', '=', 2).execute()
  t.same(await listNames(), [
    [a, b],
    [a, b]
  ])
})

t.test('sorting by a trait costs as much as all values of the store, even of few templates', async t => {
  const { url, db } = await service(t, { graphqlMaxCost: 1000 })
  const value = Array.from({ length: 120_000 }, (_, at) => `${at}`)
  await addTemplates(db, { data: JSON.stringify({ attributes: [{ trait_type: 'Numbers', value }] }) })
  const token = await accessToken(url)
  const ask = async (order: string) =>
    (await query(url, token, `{ products(orderBy: { ${order} }) { nodes { id } } }`)).body
  t.match(await ask('trait: "Numbers"'), { data: null, errors: [{ extensions: { code: 'COST_LIMIT' } }] })
  t.same(await ask('field: NAME, direction: ASC'), { data: { products: { nodes: [{ id: 0 }] } } })
})

t.test('the fields of a page cost once, and those of its templates for each', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const cost = async (text: string) => {
    const response = await graphqlRequest(
      url,
      token,
      { query: `{ products${text} }` },
      { 'GraphQL-Cost': '1' }
    )
    return ((await response.json()) as { extensions: { cost: { requested: number } } }).extensions.cost
      .requested
  }
  const [none, some] = [await cost('(first: 0) { totalCount }'), await cost('(first: 100) { totalCount }')]
  t.ok(none > (await cost('(first: 0) { pageInfo { endCursor } }')), 'also of an empty page')
  t.ok(some < none + 200, `${some} for 100 templates, ${none} for none`)
  t.ok((await cost('(first: 100) { nodes { revisions { nodes { number } } } }')) > 100 * 20)
})

t.test('paging with a filter works whether many or few templates match', async t => {
  const { page, templates } = await store(t, 1300)
  for (const where of [
    { search: 'common' },
    { search: 'rare' },
    { trait: { type: 'MadeIn', equals: 'Port' } }
  ]) {
    const wanted = templates
      .filter(template => matches(template, where))
      .sort((a, b) => compare(b.timeModified, a.timeModified) || b.id - a.id)
      .map(({ id }) => id)
    await walk(t, page, [40, 70], { where }, wanted)
  }
})

t.test('a page with a filter has the documents of its templates, in any order', async t => {
  const { url, token, templates } = await store(t, 3000)
  const withData = text.replace('id name', 'id data')
  for (const where of [
    { publicProduct: { equals: true } },
    { maxItems: { equals: 7 } },
    { maxItems: { equals: 99 } },
    { search: 'common' },
    { trait: { type: 'MadeIn', equals: 'Port' } },
    {
      or: ['MadeIn', 'Note', 'UnitsProduced'].map((type, index) => ({
        trait: { type, contains: ['long', 'half', '_off_'][index] as string }
      }))
    },
    { id: { lt: 900 } }
  ]) {
    for (const field of Object.keys(keys)) {
      const key = keys[field] as (template: ProductTemplate) => string | number
      const wanted = templates
        .filter(template => matches(template, where))
        .toSorted((a, b) => compare(key(a), key(b)) || a.id - b.id)
      const ask = async (more: object) => {
        const variables = { where, orderBy: { field, direction: 'ASC' }, ...more }
        const { edges } = (await query(url, token, withData, { variables })).body.data.products
        return edges
      }
      const first = await ask({ first: 60 })
      const next = first.length < 60 ? [] : await ask({ first: 60, after: first[59].cursor })
      const found = [...first, ...next].map(({ node }) => node)
      t.same(
        found,
        wanted.slice(0, 120).map(({ id, data }) => ({ id, data })),
        `${field} ${JSON.stringify(where)}`
      )
    }
  }
})

t.test('pages between two cursors, empty pages, and pages larger than the list', async t => {
  const { page } = await store(t, 20)
  const all = await page({})
  t.equal(all.edges.length, 20, '50 where nothing is said')
  const [second, fifth] = [all.edges[1]?.cursor, all.edges[4]?.cursor]
  const between = await page({ after: second, before: fifth })
  t.same(ids(between), ids(all).slice(2, 4))
  t.match(between.pageInfo, { hasPreviousPage: true })
  t.same(ids(await page({ first: 1, after: second, before: fifth })), ids(all).slice(2, 3))
  t.same(ids(await page({ last: 1, after: second, before: fifth })), ids(all).slice(3, 4))
  t.same(await page({ first: 0 }), {
    edges: [],
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null }
  })
  const last = all.edges.at(-1)?.cursor
  t.same((await page({ first: 5, after: last })).pageInfo, {
    hasNextPage: false,
    hasPreviousPage: true,
    startCursor: null,
    endCursor: null
  })
  t.same(ids(await page({ where: { id: { in: [] } } })), [])
  t.match(await page({ before: second }), {
    edges: [{}],
    pageInfo: { hasNextPage: false, hasPreviousPage: false }
  })
})

t.test('an empty page next to the only template', async t => {
  const { page } = await store(t, 1)
  const { endCursor } = (await page({})).pageInfo
  const after = await page({ first: 5, after: endCursor })
  t.same(ids(after), [])
  t.match(after.pageInfo, { hasNextPage: false, hasPreviousPage: true })
  t.match((await page({ last: 5, before: endCursor })).pageInfo, {
    hasNextPage: true,
    hasPreviousPage: false
  })
})

t.test('a page stays in place while templates are added, changed and deleted', async t => {
  const { db, page } = await store(t, 60)
  const order = ids(await page({ first: 60 }))
  const first = await page({ first: 20 })
  const end = order[19] as number
  // The template of the cursor goes, another one of the page is changed to come first, a new one comes.
  await db.deleteFrom('product_template').where('id', '=', end).execute()
  await db
    .updateTable('product_template')
    .set({ time_modified: '2030-01-01T00:00:00.000000Z' })
    .where('id', '=', order[3] as number)
    .execute()
  await addTemplates(db, { id: 1_000_000, timeModified: '2031-01-01T00:00:00.000000Z' })
  t.same(ids(await page({ first: 20, after: first.pageInfo.endCursor })), order.slice(20, 40))
  t.same(ids(await page({ first: 2 })), [1_000_000, order[3]])
})

t.test('invalid numbers and cursors are reported', async t => {
  const { page, refusal } = await store(t, 3)
  const { endCursor } = (await page({ first: 1 })).pageInfo
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const bad: [variables: object, message: RegExp][] = [
    [{ first: -1 }, /first must be a number from 0 to 100/],
    [{ first: 101 }, /from 0 to 100/],
    [{ last: 101 }, /from 0 to 100/],
    [{ first: 1, last: 1 }, /cannot be combined/],
    [{ after: 'x' }, /not valid/],
    [{ after: '' }, /not valid/],
    [{ after: cursor(['TIME_MODIFIED', 'DESC', '0000-01-01T00:00:00.000000Z', 1]) }, /not valid/],
    [{ after: cursor(['TIME_MODIFIED', 'DESC', '2026-13-01T00:00:00.000000Z', 1]) }, /not valid/],
    [{ after: cursor(['TIME_MODIFIED', 'DESC', 7, 1]) }, /not valid/],
    [{ after: cursor(['TIME_MODIFIED', 'DESC', '2026-01-01T00:00:00.000000Z', 2 ** 31]) }, /not valid/],
    [{ after: cursor(['NAME', 'ASC', 'a\0', 1]), orderBy: { field: 'NAME', direction: 'ASC' } }, /not valid/],
    [{ after: cursor(['ID', 'ASC', 2 ** 40, 1]), orderBy: { field: 'ID', direction: 'ASC' } }, /not valid/],
    [{ after: endCursor, orderBy: { field: 'ID' } }, /another orderBy/]
  ]
  for (const [variables, message] of bad)
    t.match(
      await refusal(variables),
      { message, extensions: { code: 'BAD_USER_INPUT' } },
      JSON.stringify(variables)
    )
})

t.test('pages continue after the least integer', async t => {
  const { db, page } = await store(t, 0)
  await addTemplates(db, { id: 1, blockchainId: -(2 ** 31) }, { id: 2, blockchainId: -(2 ** 31) })
  await walk(t, page, [1, 1], { orderBy: { field: 'BLOCKCHAIN_ID', direction: 'ASC' } }, [1, 2])
})

t.test('allProducts accepts an order, a limit and an offset', async t => {
  const { url, token, templates } = await store(t, 30)
  const list = async (more: string) => {
    const { body } = await query(
      url,
      token,
      `{ allProducts(orderBy: { field: ID, direction: ASC }${more}) { id } }`
    )
    return body.data?.allProducts.map(({ id }: { id: number }) => id) ?? body.errors[0].message
  }
  const all = templates.map(({ id }) => id)
  t.same(await list(''), all)
  t.same(await list(', limit: 5'), all.slice(0, 5))
  t.same(await list(', limit: 5, offset: 28'), all.slice(28))
  t.same(await list(', offset: 28'), all.slice(28))
  t.same(await list(', limit: 0'), [])
  t.match(await list(', limit: -1'), /limit must be a number/)
  t.match(await list(', offset: -1'), /offset must be a number/)
})

t.test('product returns one template or null', async t => {
  const { url, token } = await store(t, 2)
  const one = async (id: number) =>
    (await query(url, token, `{ product(id: ${id}) { id data } }`)).body.data.product
  t.match(await one(0), { id: 0, data: /common|rare/ })
  t.equal(await one(1), null)
  t.equal(await one(-5), null)
})
