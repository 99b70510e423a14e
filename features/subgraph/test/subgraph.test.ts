// Runs in test:all only.
/** The service as a subgraph of Apollo Federation: what it answers, and what that costs. */
import { readFileSync } from 'node:fs'
import { buildSchema, printSchema } from 'graphql'
import { type Test, t } from 'tap'
import type { ServiceOptions } from '../../../index.ts'
import { users } from '../../../store.ts'
import { readContents } from '../../../test/reference/contents.ts'
import { makeSelection } from '../../../test/reference/operations.ts'
import { knownOf, start as startOf } from '../../../test/reference/round.ts'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import fc from '../../../test/support/generated/fast-check.ts'
import { seed } from '../../../test/support/generated/seed.ts'
import { accessToken, graphqlRequest, query } from '../../../test/support/http/http.ts'
import { addTemplates, service, user } from '../../../test/support/service/service.ts'

const entities = `query ($keys: [_Any!]!) {
  _entities(representations: $keys) { ... on ProductTemplate { id name } }
}`
const toKey = (id: unknown) => ({ __typename: 'ProductTemplate', id })
const range = (length: number) => Array.from({ length }, (_, index) => index)

async function start(t: Test, options: ServiceOptions = {}) {
  const running = await service(t, { graphqlSubgraph: true, ...options })
  const token = await accessToken(running.url)
  const ask = async (keys: unknown, text = entities) =>
    (await query(running.url, token, text, { variables: { keys } })).body
  return { ...running, token, ask }
}

t.test('templates are found by their keys, in the order of these', async t => {
  const { db, ask } = await start(t)
  await addTemplates(db, { id: 7 }, { id: 0 }, { id: 2_147_483_647 })
  const names = async (...ids: unknown[]) => {
    const { data, errors } = await ask(ids.map(toKey))
    t.notOk(errors)
    return data._entities.map((entity: { id: number } | null) => entity?.id ?? null)
  }
  t.same(await names(2_147_483_647, 0, 7), [2_147_483_647, 0, 7])
  t.same(
    await names(0, 8, 0, -1, 7, 0),
    [0, null, 0, null, 7, 0],
    'missing ones are null, repeated ones are repeated'
  )
  t.same(await names(), [])
  const literal = `{ _entities(representations: [{ __typename: "ProductTemplate", id: 7, name: "x" }]) {
    __typename ... on ProductTemplate { nodeId name data document { description } revision hash }
  } }`
  t.match(await ask([], literal), {
    data: {
      _entities: [
        {
          __typename: 'ProductTemplate',
          name: 'template 0',
          data: '{}',
          document: {},
          revision: 1,
          hash: /^sha256:/
        }
      ]
    }
  })
})

onlyOn('sqlite', 'an entity equals what `product` returns, for any selection', async t => {
  const { db, url, token } = await startOf(t, seed, { graphqlSubgraph: true })
  const known = knownOf(await readContents(db))
  const ids = [...known.ids, 999, ...known.ids.slice(0, 3)]
  let equal = 0
  const compare = async (gen: fc.GeneratorValue) => {
    const { selection, declared, fragments, variables } = makeSelection(gen, known)
    const head = `query ($keys: [_Any!]! ${declared.slice(1, -1)})`
    const find = `_entities(representations: $keys) { ... on ProductTemplate ${selection} }`
    const read = ids.map((id, index) => `p${index}: product(id: ${id}) ${selection}`)
    const ask = async (text: string) =>
      (await query(url, token, text, { variables: { ...variables, keys: ids.map(toKey) } })).body
    const found = await ask(`${head} { ${find} } ${fragments}`)
    const right = await ask(
      `${head.replace('$keys: [_Any!]! ', '').replace('()', '')} { ${read.join(' ')} } ${fragments}`
    )
    t.equal(found.errors === undefined, right.errors === undefined, selection)
    if (found.errors) return
    equal++
    const entities = Object.fromEntries(
      found.data._entities.map((entity: unknown, index: number) => [`p${index}`, entity])
    )
    if (JSON.stringify(entities) !== JSON.stringify(right.data))
      throw new Error(`${JSON.stringify(entities)} instead of ${JSON.stringify(right.data)}`)
  }
  await fc.assert(fc.asyncProperty(fc.gen(), compare), { numRuns: 40 })
  t.ok(equal > 20, `${equal} of 40`)
})

onlyOn('sqlite', 'a wrong key is an error that names it', async t => {
  const { db, ask } = await start(t)
  await addTemplates(db, {})
  const id = 'representations[1].id must be an Int'
  const type = 'representations[1].__typename must be ProductTemplate'
  for (const [key, message] of [
    [toKey('0'), id],
    [toKey(1.5), id],
    [toKey(null), id],
    [toKey(undefined), id],
    [toKey(2_147_483_648), id],
    [toKey([0]), id],
    [toKey(true), id],
    [{ __typename: 'ProductRevision', id: 0 }, type],
    [{ __typename: 'User', id: 0 }, type],
    [{ id: 0 }, type],
    [0, type],
    ['ProductTemplate', type],
    [[toKey(0)], type]
  ] as const) {
    const { data, errors } = await ask([toKey(0), key])
    t.same([data, errors.length, errors[0].message], [null, 1, message], JSON.stringify(key))
    t.equal(errors[0].extensions.code, 'BAD_USER_INPUT')
  }
  t.match((await ask([null])).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  t.match((await ask(null)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('the rule of a user hides templates, and long documents are read', async t => {
  const { db, ask } = await start(t)
  const data = JSON.stringify({
    description: 'x'.repeat(100_000),
    attributes: [{ trait_type: 'Colour', value: 'red' }]
  })
  const blue = data.replace('red', 'blue')
  await addTemplates(
    db,
    { componentName: 'Hidden', data },
    { data },
    { data: blue },
    ...range(300).map(() => ({}))
  )
  const text = entities.replace('id name', 'id data')
  const seen = async (keys: number[]) => {
    const { data } = await ask(keys.map(toKey), text)
    return data._entities.map((entity: { data: string } | null) => entity?.data.length ?? null)
  }
  t.same(await seen([0, 1, 2]), [data.length, data.length, blue.length])
  await users.update(db, user.email, { where: { not: { componentName: { equals: 'Hidden' } } } })
  t.same(await seen([0, 1, 2]), [null, data.length, blue.length])
  t.equal((await ask(range(303).map(toKey))).data._entities.filter(Boolean).length, 302)
  await users.update(db, user.email, { where: { trait: { type: 'Colour', equals: 'red' } } })
  t.same(await seen([0, 1, 2, 3]), [data.length, data.length, null, null])
})

t.test('1,000 templates are inside the budget, 10,000 are not, and aliases multiply', async t => {
  const { db, url, token, ask } = await start(t)
  await addTemplates(db, ...range(1000).map(() => ({ data: JSON.stringify({ text: 'x'.repeat(3000) }) })))
  const keys = range(1000).map(toKey)
  const all =
    'nodeId id blockchainId maxItems name publicProduct componentName timeCreated timeModified data hash'
  const response = await graphqlRequest(
    url,
    token,
    { query: entities.replace('id name', all), variables: { keys } },
    { 'GraphQL-Cost': '1' }
  )
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about to check
  const { data, extensions } = (await response.json()) as any
  t.equal(data._entities.length, 1000)
  t.ok(extensions.cost.requested < extensions.cost.limit / 20, JSON.stringify(extensions.cost))
  t.match((await ask(range(10_000).map(toKey))).errors, [{ message: /more than 10000 values/ }])
  const twice = await ask(
    range(751).map(toKey),
    `query ($keys: [_Any!]!) {
    a: _entities(representations: $keys) { ... on ProductTemplate { hash } }
    b: _entities(representations: $keys) { ... on ProductTemplate { document { description } } }
  }`
  )
  t.match(twice.errors, [
    { message: /more than 1500 representations/, extensions: { code: 'BAD_USER_INPUT' } }
  ])
  t.equal((await ask(range(3000).map(toKey))).data._entities.filter(Boolean).length, 1000)
  const deep = (count: number) =>
    `query ($keys: [_Any!]!) { ${range(count)
      .map(
        index =>
          `a${index}: _entities(representations: $keys) { ... on ProductTemplate { revisions(first: 100) { nodes { number } } } }`
      )
      .join(' ')} }`
  t.match((await ask(range(3000).map(toKey), deep(15))).errors, [{ extensions: { code: 'COST_LIMIT' } }])
})

t.test('the cost of entities is checked before anything is read', async t => {
  const { ask } = await start(t, { graphqlMaxCost: 1000 })
  const revisions = `query ($keys: [_Any!]!) {
    _entities(representations: $keys) { ... on ProductTemplate { revisions { nodes { number } } } }
  }`
  t.match((await ask(range(1000).map(toKey), revisions)).errors, [{ extensions: { code: 'COST_LIMIT' } }])
})

onlyOn(
  'sqlite',
  'without GRAPHQL_SUBGRAPH, the schema has nothing of it; with it, the rest stays',
  async t => {
    const off = await service(t)
    const refused = await query(off.url, await accessToken(off.url), '{ _service { sdl } }')
    t.match(refused.body.errors, [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }])
    const { ask } = await start(t, { graphqlIntrospection: false })
    const { data } = await ask([], '{ _service { sdl } }')
    const plain = data._service.sdl
      .replace(/^extend schema .*\n/, '')
      .replace(' @key(fields: "id")', '')
      .replace(' @shareable', '')
    const file = new URL('../../../graphql/schema.graphql', import.meta.url)
    t.equal(printSchema(buildSchema(plain)), printSchema(buildSchema(readFileSync(file, 'utf8'))))
    t.equal(
      (await query(off.url, await accessToken(off.url, { scope: 'write' }), '{ viewer { name } }')).status,
      403
    )
  }
)

onlyOn('sqlite', 'the rule of the user is paid for once', async t => {
  const { db, ask } = await start(t, { graphqlMaxCost: 1000 })
  await addTemplates(db, { id: 1, name: 'a' })
  const names = range(100).map(index => `${index}`.padEnd(110, 'x'))
  const where = { name: { in: ['a', ...names] } }
  // It costs 1 per 20 characters.
  t.ok(JSON.stringify(where).length > 10_000)
  await users.update(db, user.email, { where })
  t.same(await ask([toKey(1)]), { data: { _entities: [{ id: 1, name: 'a' }] } })
})
