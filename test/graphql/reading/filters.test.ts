// Runs alone.
/** `where`: what it lets through, on either engine as in plain words. */
import { type Test, t } from 'tap'
import { matches, type Where } from '../../reference/filter.ts'
import { makeListArguments } from '../../reference/operations.ts'
import { sortTemplates } from '../../reference/order.ts'
import fc from '../../support/generated/fast-check.ts'
import { accessToken, query } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'
import { addAwkwardTemplates } from './store.ts'

/** Random filters that are compared. `SECONDS=60` is thorough. */
const runs = 50 * Number(process.env.SECONDS ?? 1)

async function store(t: Test, count = 1300) {
  const { url, db } = await service(t)
  const templates = await addAwkwardTemplates(db, count)
  const token = await accessToken(url)
  const ask = (text: string, variables: object) => query(url, token, text, { variables })
  const list = async (where: Where | null) => {
    const { status, body } = await ask(
      'query($where: ProductTemplateFilter) { allProducts(where: $where) { id } products(where: $where, first: 100) { totalCount nodes { id } } }',
      { where }
    )
    if (status !== 200 || body.errors) throw new Error(`${JSON.stringify(where)}: ${JSON.stringify(body)}`)
    const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)
    const { allProducts, products } = body.data
    return { all: ids(allProducts), page: ids(products.nodes), count: products.totalCount as number }
  }
  const inOrder = templates.toSorted((a, b) =>
    a.timeModified === b.timeModified ? b.id - a.id : a.timeModified < b.timeModified ? 1 : -1
  )
  const expected = (where: Where) => inOrder.filter(template => matches(template, where)).map(({ id }) => id)
  return { ask, list, expected, templates }
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')

const cases: Where[] = [
  {},
  { id: { equals: 0 } },
  { id: { in: [] } },
  { id: { in: [3, 6, 7] } },
  { id: { gt: 30, lte: 60 } },
  { name: { equals: 'Amber Óak 0' } },
  { name: { equals: 'amber óak 0' } },
  { name: { in: ['x 6', 'ÄRGER 4'] } },
  { name: { contains: 'OAK' } },
  { name: { contains: '%' } },
  { name: { contains: '_1' } },
  { name: { contains: '_100%' } },
  { name: { contains: 'E “LIN' } },
  { name: { contains: '"x" AND y*' } },
  { name: { contains: 'birch_100% 1 and much more than there is' } },
  { name: { contains: '日本の' } },
  { not: { name: { contains: 'oak' } } },
  { name: { contains: 'oak', startsWith: 'amb' }, search: 'common' },
  { name: { startsWith: 'ärg' } },
  { name: { startsWith: 'STRASSE' } },
  { name: { startsWith: '日本' } },
  { name: { contains: '' } },
  { name: { startsWith: '' } },
  { componentName: { equals: 'TrackingRecord' } },
  { componentName: { in: ['TrackingRecord', 'x'] } },
  { blockchainId: { lt: 0 } },
  { productId: { equals: '7' } },
  { productId: { equals: '14' } },
  { productId: { equals: '1' } },
  { productId: { equals: '' } },
  { productId: { equals: 'LAMP-9' } },
  { productId: { equals: 'lamp-9' } },
  { productId: { equals: '9'.repeat(60) } },
  { productId: { in: ['21', 'LAMP-2', '№7№', '28'], equals: '21' } },
  { productId: { in: [] } },
  { productId: { in: Array.from({ length: 490 }, (_, id) => String(id)) } },
  { not: { productId: { in: ['7', ''] } }, search: 'even' },
  { search: '№7№' },
  { publicProduct: { equals: false } },
  { maxItems: { gte: 10, lt: 12 } },
  { timeModified: { gte: '2025-12-29T09:20:10.000011Z' } },
  { timeCreated: { lt: '2025-12-29T09:20:10.000000Z' } },
  { trait: { type: 'MadeIn' } },
  { trait: { type: 'MadeIn', exists: true } },
  { trait: { type: 'MadeIn', exists: true, equals: 'Portugal' } },
  { trait: { type: 'MadeIn', exists: false } },
  { trait: { type: 'madein' } },
  { trait: { type: 'MadeIn', equals: 'Portugal' } },
  { trait: { type: 'MadeIn', equals: 'portugal' } },
  { trait: { type: 'MadeIn', equals: '' } },
  { trait: { type: 'UnitsProduced', equals: 7 } },
  { trait: { type: 'UnitsProduced', equals: '7' } },
  { trait: { type: 'UnitsProduced', in: [7, '7', -1] } },
  { trait: { type: 'UnitsProduced', in: [] } },
  { trait: { type: 'EmailOptional', equals: true } },
  { trait: { type: 'EmailOptional', equals: 'true' } },
  { trait: { type: 'EmailOptional', equals: null } },
  { trait: { type: 'EmailOptional', in: [null, false] } },
  { trait: { type: 'FeaturesArray', equals: [] } },
  { trait: { type: 'FeaturesArray', equals: ['red', 'blue'] } },
  { trait: { type: 'FeaturesArray', contains: 'blue' } },
  { trait: { type: 'FeaturesArray', contains: 'Port' } },
  { trait: { type: 'Note', contains: '% _off_ "' } },
  { trait: { type: 'Note', contains: 'long end' } },
  { trait: { type: 'Note', contains: 'g long long long long end' } },
  { trait: { type: 'Note', contains: '"now" \\' } },
  { trait: { type: 'Note', contains: '\u0000 and \ud800' } },
  { trait: { type: 'Note', contains: 'LONG' } },
  { trait: { type: 'Note', contains: 'Portugal\nPort' } },
  { trait: { type: 'MadeIn', contains: 'tu' } },
  { not: { trait: { type: 'MadeIn', contains: 'Port' } } },
  { and: [{ trait: { type: 'MadeIn', contains: 'ortu' } }, { search: 'rare' }] },
  { and: [{ trait: { type: 'FeaturesArray', contains: 'blue' } }, { search: 'common' }] },
  { trait: { type: 'Note', equals: `${'long '.repeat(60)}end` } },
  { trait: { type: 'Note', equals: `${'long '.repeat(60)}` } },
  { trait: { type: 'MadeIn', equals: 'Portugal', contains: 'Port' } },
  { trait: { type: 'UnitsProduced', gte: 1.5, lt: 7 } },
  { trait: { type: 'Note', gt: -1 } },
  { trait: { type: 'MadeIn', lte: 7, equals: '7' } },
  { not: { trait: { type: 'MadeIn', gt: 1e300 } } },
  { and: [{ trait: { type: 'EmailOptional', lt: 7 } }, { search: 'rare' }] },
  { search: 'common' },
  { search: 'rare' },
  { search: 'RARE cafe' },
  { search: 'amb oa' },
  { search: 'mber' },
  { search: 'CAFÉ' },
  { search: 'fine linen' },
  { search: '日本' },
  { search: 'strasse' },
  { search: 'straße' },
  { search: '"common" AND -text* (odd)' },
  { search: "' & | ! <-> :* even" },
  { search: '  ' },
  { search: '!' },
  { search: 'long 7' },
  { and: [] },
  { or: [] },
  { not: {} },
  { and: [{ publicProduct: { equals: true } }, { trait: { type: 'MadeIn', equals: 'Port' } }] },
  { or: [{ search: 'rare' }, { trait: { type: 'UnitsProduced', equals: 7 } }] },
  { not: { search: 'common' } },
  { not: { trait: { type: 'MadeIn' } } },
  { not: { or: [{ not: { maxItems: { lt: 3 } } }, { search: 'odd' }] } },
  { id: null, name: null, and: null, or: null, not: null, search: null, trait: null }
]

t.test('a search with a typing error has a suggestion that finds what was meant', async t => {
  const { url, db } = await service(t)
  await addTemplates(
    db,
    { name: 'Copper Lamp' },
    { name: 'Café Moka', data: '{"description":"from Portugal"}' }
  )
  const token = await accessToken(url)
  const suggest = async (search: string) => {
    const text = 'query($search: String!) { searchSuggestion(search: $search) }'
    return (await query(url, token, text, { variables: { search } })).body.data.searchSuggestion
  }
  for (const [typed, meant] of [
    ['portguals', null],
    ['Portgual', 'portugal'],
    ['coper lamp', 'copper lamp'],
    ['lamppp', null],
    ['lampp', 'lamp'],
    ['caffé', 'cafe'],
    ['kopper moka', 'copper moka'],
    ['copper moka', null],
    ["l'mp; --", null],
    ['x'.repeat(50), null],
    ['', null]
  ] as const)
    t.equal(await suggest(typed), meant, typed)
})

t.test('each condition matches the right templates', async t => {
  const { list, expected } = await store(t)
  for (const where of cases) {
    const wanted = expected(where)
    const { all, page, count } = await list(where)
    t.same(all, wanted, JSON.stringify(where).slice(0, 120))
    t.same(page, wanted.slice(0, 100))
    t.equal(count, wanted.length)
  }
})

t.test('words and traits that very many templates have', async t => {
  const { list, expected } = await store(t, 8400)
  for (const where of [
    { search: 'common odd' },
    { search: 'common te of' },
    { search: 'rare text' },
    { search: 'common nothing' },
    { trait: { type: 'MadeIn', contains: 'Port' } },
    { search: 'even common', trait: { type: 'MadeIn', equals: 'Portugal' } },
    {
      and: [{ search: 'common' }, { trait: { type: 'MadeIn', contains: 'Port' } }, { not: { search: 'odd' } }]
    }
  ]) {
    const wanted = expected(where)
    const { page, count } = await list(where)
    t.same(page, wanted.slice(0, 100), JSON.stringify(where))
    t.equal(count, wanted.length)
  }
})

t.test('any filter and order made from the schema lists the same templates as the oracle', async t => {
  const { ask, templates } = await store(t)
  const known = {
    ids: templates.slice(0, 20).map(({ id }) => id),
    hashes: [],
    texts: ['amber', 'Amber Óak 3', 'x', '1', 'ÄR', 'oak', 'TrackingRecord', 'é', '', 'Portugal', 'blue'],
    traitTypes: ['MadeIn', 'UnitsProduced', 'FeaturesArray', 'Note', 'Absent']
  }
  await fc.assert(
    fc.asyncProperty(fc.gen(), async gen => {
      const { where, orderBy } = makeListArguments(gen, known)
      const wanted = sortTemplates(
        templates.filter(template => matches(template, where)),
        orderBy
      ).map(({ id }) => id)
      const { body } = await ask(
        `query($where: ProductTemplateFilter, $orderBy: ProductTemplateOrder) {
          allProducts(where: $where, orderBy: $orderBy) { id }
          products(where: $where, orderBy: $orderBy, first: 100) { totalCount totalCountUpTo(limit: 7) nodes { id } } }`,
        { where, orderBy }
      )
      const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)
      const { allProducts, products } = body.data
      const found = [ids(allProducts), ids(products.nodes), products.totalCount, products.totalCountUpTo]
      const right = [wanted, wanted.slice(0, 100), wanted.length, Math.min(wanted.length, 7)]
      if (JSON.stringify(found) !== JSON.stringify(right)) throw new Error(JSON.stringify({ where, orderBy }))
    }),
    { numRuns: runs }
  )
})

t.test('an invalid filter is reported, and no query runs', async t => {
  const { ask } = await store(t, 1)
  const bad: [where: unknown, message: RegExp][] = [
    [{ timeCreated: { gt: 'yesterday' } }, /YYYY-MM-DD/],
    [{ timeCreated: { gt: '2026-02-30T00:00:00Z' } }, /YYYY-MM-DD/],
    [{ timeCreated: { gt: '0000-01-01T00:00:00Z' } }, /YYYY-MM-DD/],
    [{ timeCreated: { gt: '2026-01-01T00:00:00.1234567Z' } }, /YYYY-MM-DD/],
    [{ id: { in: Array.from({ length: 501 }, (_, id) => id) } }, /more than 500 conditions/],
    [{ trait: { type: 'x', in: new Array(500).fill(null) } }, /more than 500 conditions/],
    [{ trait: { type: 'x', in: new Array(500).fill([]) } }, /more than 500 conditions/],
    [{ or: Array.from({ length: 251 }, () => ({ name: { equals: 'x' } })) }, /more than 500 conditions/],
    [{ or: Array.from({ length: 501 }, () => ({})) }, /more than 500 conditions/],
    [{ search: words(51) }, /more than 500 conditions/],
    [{ and: [{ search: words(25) }, { search: words(25) }] }, /more than 500 conditions/],
    [{ search: 'x'.repeat(1001) }, /more than 1000 characters/],
    [{ name: { equals: '🍏'.repeat(1001) } }, /more than 1000 characters/],
    [{ trait: { type: 'x', date: { gte: '2026-02-29' } } }, /a date must exist/],
    [{ trait: { type: 'x', date: { lt: '2026-3-1' } } }, /YYYY-MM-DD/],
    [{ not: { trait: { type: 'x', date: { lte: '2026-03-01T00:00:00Z' } } } }, /YYYY-MM-DD/],
    [{ trait: { type: 'x', date: { gt: 20260301 } } }, /String/],
    [{ trait: { type: 'x', equals: 1.5 } }, /DocumentValue/],
    [{ trait: { type: 'x', equals: { a: 1 } } }, /DocumentValue/],
    [{ trait: { type: 'x', in: [[1]] } }, /DocumentValue/],
    [{ trait: {} }, /type/],
    [{ colour: 'red' }, /colour/],
    [nested(11), /deeper than 10/]
  ]
  for (const [where, message] of bad) {
    const { body } = await ask(
      'query($where: ProductTemplateFilter) { products(where: $where) { totalCount } }',
      { where }
    )
    t.match(
      body.errors,
      [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
      JSON.stringify(where).slice(0, 80)
    )
    t.notOk(body.data)
  }
})

t.test('the largest allowed filters work', async t => {
  const { list, expected } = await store(t, 300)
  const or = Array.from({ length: 250 }, (_, index) => ({ name: { equals: `Amber Óak ${index}` } }))
  for (const where of [
    { id: { in: Array.from({ length: 500 }, (_, id) => id) } },
    { trait: { type: 'MadeIn', in: new Array(499).fill(null) } },
    { or },
    { not: { or: or.slice(1) } },
    nested(10),
    { search: words(50) },
    { and: [{ search: 'common' }, { search: words(48) }] },
    { search: `common ${' '.repeat(900)}` },
    { name: { equals: '🍏'.repeat(1000) } }
  ])
    t.same((await list(where)).all, expected(where), JSON.stringify(where).slice(0, 60))
})

t.test('the Greek final sigma and the dotted I are folded', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 1, name: 'ΟΔΟΣΑ' }, { id: 2, name: 'οδός' }, { id: 3, name: 'İstanbul' })
  const token = await accessToken(url)
  const list = async (where: string) =>
    (
      await query(
        url,
        token,
        `{ allProducts(where: ${where}, orderBy: { field: ID, direction: ASC }) { id } }`
      )
    ).body.data.allProducts.map(({ id }: { id: number }) => id)
  t.same(await list('{ name: { startsWith: "ΟΔΟΣ" } }'), [1])
  t.same(await list('{ name: { contains: "ΔΟΣ" } }'), [1])
  t.same(await list('{ name: { contains: "ΌΣ" } }'), [2])
  t.same(await list('{ search: "ΟΔΟΣ" }'), [1, 2])
  t.same(await list('{ name: { startsWith: "istan" } }'), [3])
  t.same(await list('{ name: { contains: "İST" } }'), [3])
  t.same(await list('{ search: "istan" }'), [3])
})

t.test('a name that goes on with the last character of Unicode starts with its beginning', async t => {
  const { url, db } = await service(t)
  const names = ['x', 'x\u{10FFFF}', 'x\u{10FFFF}y', `x${'\u{10FFFF}'.repeat(120)}`, 'y']
  await addTemplates(db, ...names.map((name, id) => ({ id, name })))
  const token = await accessToken(url)
  const text = 'query($where: ProductTemplateFilter) { products(where: $where) { totalCount } }'
  const count = async (startsWith: string) => {
    const { body } = await query(url, token, text, { variables: { where: { name: { startsWith } } } })
    return body.data.products.totalCount
  }
  t.same([await count('x'), await count('x\u{10FFFF}'), await count('x\u{10FFFF}y')], [4, 3, 1])
})

t.test('a date is the day that is written, also before a time and in a list', async t => {
  const { url, db } = await service(t)
  const values = [
    ...['2026-02-28', '2026-03-01', '2026-03-31', '2026-04-01', '2026-03-31T23:30:00-05:00'],
    ...[['red', '2026-03-01'], ['2026-02-28', '2026-04-01'], `2026-03-31T${'0'.repeat(120)}`],
    // None of these is a date.
    ...['2026-03-15 or so', '2026-03', '2026-3-15', '15.03.2026', '20260315', '2026-03-15\n', 'March', ''],
    ...[20260315, null, true, { date: '2026-03-15' }]
  ]
  const toData = (value: unknown) => JSON.stringify({ attributes: [{ trait_type: 'Since', value }] })
  await addTemplates(db, ...values.map((value, id) => ({ id, data: toData(value) })))
  const token = await accessToken(url)
  const text = 'query($where: ProductTemplateFilter) { allProducts(where: $where) { id } }'
  const list = async (date: object | null, more: object = {}) => {
    const where = { trait: { type: 'Since', date, ...more } }
    const { body } = await query(url, token, text, { variables: { where } })
    return body.data.allProducts.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
  }
  const all = values.map((_, id) => id)
  const dates = all.slice(0, 8)
  t.same(await list({ gte: '2026-03-01', lte: '2026-03-31' }), [1, 2, 4, 5, 7])
  t.same(await list({ gt: '2026-03-01', lt: '2026-04-01' }), [2, 4, 7])
  t.same(await list({ gt: '2026-03-31' }), [3, 6])
  t.same(await list({ lt: '2026-03-01', gte: null }), [0, 6])
  t.same(await list({ gte: '2026-03-01', gt: '2026-02-28', lte: '2026-03-01', lt: '9999-12-31' }), [1, 5])
  t.same(await list({ gte: '2026-03-31', lte: '2026-03-01' }), [])
  t.same(await list({ gte: '0001-01-01' }), dates)
  t.same(await list({ lte: '9999-12-31' }), dates)
  t.same(await list({ lte: '9999-12-31' }, { equals: '2026-03-01' }), [1])
  for (const none of [null, {}, { lt: null }]) t.same(await list(none), all)
})

t.test('lone surrogates and NUL in a filter match nothing and break nothing', async t => {
  const { list } = await store(t, 30)
  for (const text of ['a\0b', '\ud800', '\0']) {
    for (const where of [
      { name: { equals: text } },
      { name: { contains: `${text}x` } },
      { name: { startsWith: text } },
      { componentName: { equals: text } },
      { trait: { type: text } },
      { trait: { type: 'MadeIn', equals: text } }
    ])
      t.same((await list(where)).all, [])
    t.type((await list({ search: text })).count, 'number')
  }
})

const nested = (levels: number): Where => (levels === 0 ? {} : { not: nested(levels - 1) })

t.test('a bound is finite, in a literal as in a variable', async t => {
  const { ask } = await store(t, 1)
  const count = (bound: string) =>
    `products(where: { trait: { type: "Note", gte: ${bound} } }) { totalCount }`
  for (const bound of ['1e999', '-1e999', `1${'0'.repeat(400)}`]) {
    // Equal filters share a plan, and JSON would write infinity as null.
    const { body } = await ask(`{ a: ${count('null')} b: ${count(bound)} }`, {})
    t.match(body.errors, [{ message: 'the number is too large' }])
  }
  t.match((await ask(`{ ${count('-1.7e308')} }`, {})).body, { data: { products: {} } })
})
