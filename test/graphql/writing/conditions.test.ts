/** A condition that says nothing is refused where it would mean all: in mutations and rules. */
import { t } from 'tap'
import { users } from '../../../store.ts'
import { wholeTrail, start as withAdmin } from '../../support/service/administrator.ts'
import { addTemplates, storedTemplates, user } from '../../support/service/service.ts'
import { writer } from './store.ts'

/** Filters with a part that is null, empty or without words. */
const nothing: object[] = [
  { id: null },
  { id: {} },
  { id: { equals: null } },
  { id: { in: null } },
  { id: { equals: 1, gt: null } },
  { name: { contains: '' } },
  { name: { startsWith: '' } },
  { componentName: { equals: null } },
  { publicProduct: { equals: null } },
  { timeCreated: { gte: null } },
  { productId: {} },
  { trait: null },
  { trait: { type: 'Color', contains: null } },
  { trait: { type: 'Color', contains: '' } },
  { trait: { type: 'Color', gt: null } },
  { trait: { type: 'Color', exists: null } },
  { search: null },
  { search: '' },
  { search: '%' },
  { search: '\u{1f600} --' },
  { and: null },
  { and: [] },
  { and: [{}] },
  { and: [{ search: '\u{1f600}' }] },
  { or: null },
  { or: [{ id: { equals: 1 } }, {}] },
  { or: [{ id: { equals: 1 } }, { id: null }] },
  { not: null },
  { not: {} },
  { not: { or: [{ not: { search: '?' } }] } },
  { not: { or: [] } },
  { or: [{ not: { id: { in: [] } } }] },
  { not: { and: [{ name: { in: [] } }] } },
  { not: { productId: { in: [] } } },
  { not: { trait: { type: 'Color', in: [] } } },
  { id: { equals: 1 }, search: '%' }
]

const refused = [{ message: /where/, extensions: { code: 'BAD_USER_INPUT' } }]

const many = {
  deleteProducts: 'mutation ($where: ProductTemplateFilter) { deleteProducts(where: $where) { count } }',
  updateProducts:
    'mutation ($where: ProductTemplateFilter) { updateProducts(where: $where, change: { name: "x" }) { count } }'
}

t.test('a mutation of many refuses a filter with a part that says nothing', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const before = await storedTemplates(db)
  for (const [name, text] of Object.entries(many))
    for (const where of nothing) {
      const { data, errors } = await send(text, { where })
      t.match(errors, refused, `${name} ${JSON.stringify(where)}`)
      t.equal(data, undefined)
    }
  for (const where of [{ id: { equals: 1 } }, { or: [] }, { id: { in: [] } }, {}])
    t.match((await send(`${many.updateProducts.replace('x', 'template')}`, { where })).errors, undefined)
  t.equal((await storedTemplates(db)).length, before.length)
  const query = 'query ($where: ProductTemplateFilter) { products(where: $where) { totalCount } }'
  t.same((await send(query, { where: { id: { equals: null }, search: '%' } })).data, {
    products: { totalCount: 2 }
  })
})

t.test('a variable without a value is no condition, also beside others and in a list', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const types: Record<string, string> = {
    id: 'Int',
    ids: '[Int!]',
    text: 'String',
    value: 'DocumentValue',
    all: 'ProductTemplateFilter',
    trait: 'TraitFilter'
  }
  for (const where of [
    '{ id: { equals: $id } }',
    '{ id: { in: $ids } }',
    '{ id: { gte: 0, lt: $id } }',
    '{ not: { id: { equals: $id } } }',
    '{ or: [{ id: { equals: 7 } }, { id: { equals: $id } }] }',
    '{ name: { equals: $text } }',
    '{ componentName: { equals: "DefaultProduct" }, search: $text }',
    '{ componentName: { equals: "DefaultProduct" }, trait: $trait }',
    '{ trait: { type: "Color", equals: $value } }',
    '{ trait: { type: "Color", in: [$value] } }',
    '{ componentName: { equals: "DefaultProduct" }, not: $all }'
  ]) {
    const [, name] = /\$(\w+)/.exec(where) as unknown as [string, string]
    const text = `mutation ($${name}: ${types[name]}) { deleteProducts(where: ${where}) { count } }`
    for (const variables of name === 'value' ? [{}] : [{}, { [name]: null }])
      t.match((await send(text, variables)).errors, refused, `${where} ${JSON.stringify(variables)}`)
  }
  t.equal((await storedTemplates(db)).length, 2)
  const both = `mutation ($ids: [Int!], $where: ProductTemplateFilter) {
    deleteProducts(ids: $ids, where: $where) { count } }`
  t.match((await send(both, {})).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  t.same((await send(both, { ids: [2] })).data, { deleteProducts: { count: 1 } })
  const byNull =
    'mutation ($value: DocumentValue) { deleteProducts(where: { trait: { type: "A", equals: $value } }) { count } }'
  t.same(
    (await send(byNull, { value: null })).data,
    { deleteProducts: { count: 0 } },
    'null is a value of a trait'
  )
  t.same((await send(both, { where: {} })).data, { deleteProducts: { count: 1 } }, '{} says all')
})

t.test('a wrong filter of a later field is found before the first field writes', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const text =
    'mutation ($id: Int) { deleteProduct(id: 1) { userErrors { code } } deleteProducts(where: { id: { equals: $id } }) { count } }'
  t.match((await send(text)).errors, refused)
  t.equal((await storedTemplates(db)).length, 2)
})

t.test('the rule of a user needs conditions too', async t => {
  const { db, ask, idOf } = await withAdmin(t)
  const id = await idOf(user.email)
  const before = await wholeTrail(db)
  const filter = (name: string, input: string) =>
    `mutation ($where: ProductTemplateFilter) { ${name}(${input}) { userErrors { code } } }`
  const texts = [
    filter('inviteUser', 'input: { email: "new@example.com", role: reader, where: $where }'),
    filter('updateUser', `id: "${id}", input: { where: $where }`)
  ]
  for (const text of texts) {
    for (const where of [...nothing, null])
      t.match((await ask(text, { where })).errors, refused, `${text} ${JSON.stringify(where)}`)
    t.match((await ask(text)).errors, refused, `${text} without the variable`)
  }
  t.equal(await wholeTrail(db), before)
  for (const where of nothing)
    await t.rejects(users.update(db, user.email, { where }), { code: 'PTS_BAD_ARGUMENT' })
  for (const text of texts) {
    const { data, errors } = await ask(text, { where: {} })
    t.equal(errors, undefined, text)
    t.match(Object.values(data), [{ userErrors: [] }], '{} says all')
  }
})
