/** `importProducts`: all or nothing. */
import { sql } from 'kysely'
import { t } from 'tap'
import { engine } from '../../support/database/database.ts'
import { graphqlRequest, responseJson } from '../../support/http/http.ts'
import { addTemplates } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { values, writer } from './store.ts'

const text = `mutation ($input: [ImportProductInput!]!, $mode: ImportMode! = CREATE) {
  write: importProducts(input: $input, mode: $mode, message: "batch") {
    products { id revision name timeModified } created replaced unchanged kept userErrors { code path pointer currentRevision templateId } warnings { code path }
  }
}`

t.test('a list is imported in its order, with ids and times or without', async t => {
  const { send, db } = await writer(t)
  await addTemplates(db, { id: 7, name: 'seven' })
  const time = '2020-01-02T03:04:05.000006Z'
  const { data, timeCreated: _, ...rest } = { ...values, timeCreated: time }
  const input = [
    { ...values, name: 'a' },
    { ...values, id: 100, name: 'b', timeCreated: time, timeModified: time },
    { ...rest, name: 'c', document: { name: 'c', attributes: [{ traitType: 'MadeIn', value: 'Peru' }] } }
  ]
  const { write } = (await send(text, { input })).data
  t.match(write, { created: 3, replaced: 0, userErrors: [], warnings: [] })
  t.match(write.products, [
    { name: 'a', revision: 1 },
    { id: 100, name: 'b', timeModified: time },
    { name: 'c' }
  ])
  const found = (
    await send(
      '{ products(where: { trait: { type: "MadeIn", equals: "Peru" } }) { nodes { name revisions { nodes { action message clientId } } } } }'
    )
  ).data
  t.same(found.products.nodes, [
    { name: 'c', revisions: { nodes: [{ action: 'IMPORT', message: 'batch', clientId: 'test-client' }] } }
  ])
  t.same(
    (
      await send(
        'query ($data: String!) { product(id: 100) { data } x: __typename @skip(if: true) allProducts(limit: 0) { id } n: products(where: { name: { equals: $data } }) { totalCount } }',
        { data }
      )
    ).data.product,
    { data }
  )
})

t.test('an import into an empty store drops and creates nothing, which would lock others out', async t => {
  const { send, db } = await writer(t)
  // An index that was dropped and created again has another oid. SQLite counts the changes of its schema.
  const question =
    engine === 'postgres' ? sql`select oid from pg_class order by oid` : sql`pragma schema_version`
  const { rows } = await question.execute(db)
  t.match((await send(text, { input: [values] })).data.write, { created: 1 })
  t.same((await question.execute(db)).rows, rows)
})

t.test('of existing templates, the mode decides', async t => {
  const { send } = await writer(t)
  await send(text, { input: [{ ...values, id: 1, name: 'old' }] })
  const again = [
    { ...values, id: 1, name: 'new' },
    { ...values, id: 2 }
  ]
  t.match((await send(text, { input: again })).data.write, {
    products: [],
    created: 0,
    userErrors: [{ code: 'ID_TAKEN', path: ['input', '0', 'id'], templateId: 1 }]
  })
  t.match((await send(text, { input: again, mode: 'KEEP' })).data.write, {
    products: [{ id: 1, name: 'old', revision: 1 }, { id: 2 }],
    created: 1,
    kept: 1
  })
  t.match((await send(text, { input: again, mode: 'REPLACE' })).data.write, {
    products: [
      { id: 1, name: 'new', revision: 2 },
      { id: 2, revision: 1 }
    ],
    replaced: 1,
    unchanged: 1
  })
})

t.test('a template that somebody else has changed or deleted is not replaced', async t => {
  const { send } = await writer(t)
  await send(text, { input: [1, 2, 3].map(id => ({ ...values, id })) })
  await send('mutation { updateProduct(id: 2, input: { name: "theirs" }) { product { id } } }')
  await send('mutation { deleteProduct(id: 3) { product { id } } }')
  const mine = [1, 2, 3, 4].map(id => ({ ...values, id, name: 'mine', expectedRevision: id < 4 ? 1 : null }))
  const replace = async (input: object[]) => (await send(text, { input, mode: 'REPLACE' })).data.write
  t.match(await replace(mine), {
    products: [],
    userErrors: [
      { code: 'CONFLICT', path: ['input', '1', 'expectedRevision'], currentRevision: 2, templateId: 2 },
      { code: 'CONFLICT', path: ['input', '2', 'expectedRevision'], currentRevision: null }
    ]
  })
  t.match(await replace([mine[0] as object, mine[3] as object]), { replaced: 1, created: 1, userErrors: [] })
  const { product } = (await send('{ product(id: 2) { name } }')).data
  t.equal(product.name, 'theirs')
})

t.test('every problem of every template is reported, and nothing is written', async t => {
  const { send } = await writer(t)
  const input = [
    values,
    { ...values, maxItems: 0, data: '{' },
    { ...values, data: null },
    { ...values, id: 3, timeCreated: 'yesterday' },
    { ...values, data: null, document: { attributes: [{ traitType: '' }] } }
  ]
  const { write } = (await send(text, { input })).data
  t.same(
    write.userErrors.map(({ code, path }: { code: string; path: string[] }) => [code, path.join('.')]),
    [
      ['OUT_OF_RANGE', 'input.1.maxItems'],
      ['INVALID_JSON', 'input.1.data'],
      ['REQUIRED', 'input.2.data'],
      ['INVALID_TEXT', 'input.3.timeCreated'],
      ['SCHEMA', 'input.4.document']
    ]
  )
  const twins = [
    { ...values, id: 4 },
    { ...values, id: 4 }
  ]
  t.match((await send(text, { input: twins })).data.write.userErrors, [
    { code: 'DUPLICATE_ID', path: ['input', '1', 'id'] }
  ])
  t.match((await send(text, { input: Array(1001).fill(values) })).errors, [
    { extensions: { code: 'BAD_USER_INPUT' } }
  ])
  t.match((await send(text, { input: [values] }, { scope: 'read' })).errors, [
    { extensions: { code: 'FORBIDDEN' } }
  ])
  t.match((await send('{ products { totalCount } }')).data.products, { totalCount: 0 })
})

t.test('a problem of a late template undoes what was written before', async t => {
  const { send } = await writer(t)
  await send(text, { input: [{ ...values, id: 140 }] })
  const input = Array.from({ length: 150 }, (_, index) => ({ ...values, id: index + 1 }))
  for (const headers of [{}, { 'idempotency-key': 'late' }]) {
    const { data } = await send(text, { input }, { headers })
    t.match(data.write, { created: 0, userErrors: [{ code: 'ID_TAKEN' }] })
    t.match((await send('{ products { totalCount } }')).data.products, { totalCount: 1 })
  }
})

t.test('an import with an Idempotency-Key happens once', async t => {
  const { send } = await writer(t)
  const headers = { 'idempotency-key': 'batch-1' }
  const input = [values, { ...values, name: 'second' }]
  const first = await send(text, { input }, { headers })
  t.match(first.data.write, { created: 2 })
  t.same((await send(text, { input }, { headers })).data, first.data)
  t.match((await send(text, { input: [values] }, { headers })).data.write.userErrors, [
    { code: 'IDEMPOTENCY_KEY_REUSED', path: [], templateId: null }
  ])
  t.match((await send('{ products { totalCount } }')).data.products, { totalCount: 2 })
  const atOnce = { 'idempotency-key': 'batch-2' }
  const again = [{ ...values, id: 70 }, values]
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(text, { input: again }, { headers: atOnce })))
  t.match(answers[0]?.data.write, { created: 2, userErrors: [] })
  for (const { data } of answers) t.same(data, answers[0]?.data)
  t.match((await send('{ products { totalCount } }')).data.products, { totalCount: 4 })
})

t.test('no number of warnings hides a problem, or what is refused would stay', async t => {
  const { send, db } = await writer(t, { validation: 'warn' })
  const withWarnings = JSON.stringify({ attributes: Array.from({ length: 120 }, () => 0) })
  const input = Array.from({ length: 101 }, (_, id) => ({
    ...values,
    id,
    ...(id < 20 && { data: withWarnings }),
    ...(id === 100 && { document: { name: 'both' } })
  }))
  const { write } = (await send(text, { input })).data
  t.match(write.userErrors, [{ code: 'AMBIGUOUS', path: ['input', '100', 'document'] }])
  t.match(write, { products: [], created: 0, warnings: [] })
  t.same(await db.selectFrom('product_template').select('id').execute(), [], 'nothing was written')
})

t.test('an import that takes too long writes nothing, and says so', async t => {
  const { send, db } = await writer(t, { graphqlTimeout: 1 })
  await addTemplates(db, { id: 7, name: 'before' })
  const importAs = (name: string) => send(text, { input: [{ ...values, id: 7, name }], mode: 'REPLACE' })
  const late = await db.transaction().execute(async transaction => {
    await transaction.updateTable('product_template').set({ name: 'before' }).where('id', '=', 7).execute()
    // It waits for this transaction until its time is over.
    return importAs('too late')
  })
  t.match(late.errors, [{ extensions: { code: 'TIMEOUT', reason: 'NOTHING_WRITTEN' } }])
  // A busy machine may take longer than a second.
  let next = late
  await until(async () => {
    next = await importAs('in time')
    return next.errors?.[0].extensions.code !== 'TIMEOUT'
  })
  t.match(next.data.write, { replaced: 1, products: [{ name: 'in time', revision: 2 }] })
})

t.test('an import costs what is selected of each of its templates', async t => {
  const { send } = await writer(t, { graphqlMaxCost: 5000 })
  const input = Array.from({ length: 100 }, (_, id) => ({ ...values, id }))
  const importing = (selected: string) =>
    send(
      `mutation ($input: [ImportProductInput!]!) {
        importProducts(input: $input) { products { ${selected} } userErrors { code } }
      }`,
      { input }
    )
  const { errors } = await importing('revisions(first: 100) { nodes { contents { data } } }')
  t.match(errors, [{ extensions: { code: 'COST_LIMIT' } }])
  const { data } = await importing('id')
  t.same(data.importProducts.userErrors, [])
})

t.test('an import with more values than other operations may have is answered as a small one', async t => {
  const { url, tokenFor } = await writer(t)
  const send = async (value: unknown) => {
    const attributes = [
      ...Array(4000).fill({ traitType: 'MadeIn', value: 'Peru' }),
      { traitType: 'last', value }
    ]
    const { data: _, ...rest } = values
    const request = { query: text, variables: { input: [{ ...rest, document: { name: 'c', attributes } }] } }
    const headers = { ...responseJson, 'graphql-cost': '1' }
    const response = await graphqlRequest(url, await tokenFor('read write'), request, headers)
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about to check
    return { status: response.status, body: (await response.json()) as any }
  }
  const { status, body } = await send('of them')
  t.match({ status, body }, { status: 200, body: { data: { write: { created: 1, userErrors: [] } } } })
  const { requested, actual } = body.extensions.cost
  t.ok(requested > 4000 && actual > 0, `a cost of ${requested}, then ${actual}`)
  const wrong = await send(1.5)
  t.match(wrong, { status: 400, body: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] } })
  t.notOk('data' in wrong.body, 'nothing was executed')
  t.match(wrong.body.errors[0].message, /at "input\.0\.document\.attributes\.4000\.value"/)
})
