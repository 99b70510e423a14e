/** Mutations: what they write, whom they refuse, and what a caller can correct. */
import { hash } from 'node:crypto'
import { t } from 'tap'
import { addTemplates } from '../../support/service/service.ts'
import { type Answer, create, remove, restore, update, values, writer } from './store.ts'

const sha256 = (text: string) => `sha256:${hash('sha256', text)}`

t.test('a template is created, changed, deleted and restored, and no revision is lost', async t => {
  const { send } = await writer(t)
  const created = (await send(create, { input: { ...values, id: 0 }, message: 'begin' })).data.write
  t.same(created.userErrors, [])
  t.match(created.product, {
    id: 0,
    revision: 1,
    name: 'First',
    data: values.data,
    hash: sha256(values.data)
  })
  const changed = (await send(update, { id: 0, input: { data: '{"attributes":[]}' }, revision: 1 })).data
    .write
  t.match(changed.product, { revision: 2, name: 'First', data: '{"attributes":[]}' })
  t.ok(changed.product.timeModified > created.product.timeModified)
  t.match(
    (await send(update, { id: 0, input: { name: 'First' } })).data.write.product,
    { revision: 2 },
    'nothing changes'
  )
  t.match((await send(remove, { id: 0, revision: 2 })).data.write, {
    product: { revision: 2 },
    userErrors: []
  })
  const gone =
    '{ product(id: 0) { id } allProducts { id } products { totalCount } productRevision(id: 0, number: 1) { hash contents { data } } }'
  t.same((await send(gone)).data, {
    product: null,
    allProducts: [],
    products: { totalCount: 0 },
    productRevision: { hash: sha256(values.data), contents: { data: values.data } }
  })
  t.match((await send(restore, { id: 0, revision: 1 })).data.write, {
    product: { id: 0, revision: 4, data: values.data },
    userErrors: []
  })
  const history = `{ product(id: 0) { revisions { nodes { number action hash subject clientId message contents { data } } } } }`
  const { nodes } = (await send(history)).data.product.revisions
  t.match(nodes, [
    { number: 4, action: 'RESTORE', hash: sha256(values.data), contents: { data: values.data } },
    { number: 3, action: 'DELETE', hash: null, contents: null },
    { number: 2, action: 'UPDATE', contents: { data: '{"attributes":[]}' } },
    { number: 1, action: 'CREATE', clientId: 'test-client', message: 'begin', subject: /^[0-9a-f-]{36}$/ }
  ])
})

t.test('an id is the next one, and the typed document becomes data', async t => {
  const { send, db } = await writer(t)
  await addTemplates(db, { id: 41 })
  const document = {
    productId: 7,
    externalUrl: '',
    attributes: [
      { traitType: 'MadeIn', value: 'Peru' },
      { traitType: 'EmailOptional' },
      { traitType: 'FeaturesArray', value: ['a', 'b'] }
    ]
  }
  const { data: _, ...rest } = values
  const { product, userErrors } = (await send(create, { input: { ...rest, document } })).data.write
  t.same(userErrors, [])
  t.equal(product.id, 42)
  t.equal(
    product.data,
    '{"productId":7,"external_url":"","attributes":[{"trait_type":"MadeIn","value":"Peru"},{"trait_type":"EmailOptional"},{"trait_type":"FeaturesArray","value":["a","b"]}]}'
  )
  const found = await send(
    '{ products(where: { trait: { type: "MadeIn", equals: "Peru" } }) { nodes { id } } }'
  )
  t.same(found.data.products.nodes, [{ id: 42 }])
})

t.test('what the caller can correct is data, all of it at once', async t => {
  const { send, db } = await writer(t)
  await addTemplates(db, { id: 3 })
  const codes = async (text: string, variables: object) =>
    (await send(text, variables)).data.write.userErrors.map((error: { code: string; path: string[] }) => [
      error.code,
      error.path.join('.')
    ])
  t.same(await codes(create, { input: { ...values, id: 3 } }), [['ID_TAKEN', 'input.id']])
  t.same(await codes(create, { input: { ...values, id: -1, maxItems: 0, name: '' } }), [
    ['OUT_OF_RANGE', 'input.id'],
    ['OUT_OF_RANGE', 'input.maxItems'],
    ['TOO_SHORT', 'input.name']
  ])
  t.same(await codes(create, { input: { ...values, data: '{' } }), [['INVALID_JSON', 'input.data']])
  t.same(await codes(create, { input: { ...values, data: null } }), [['REQUIRED', 'input.data']])
  const document = { attributes: [{ traitType: '' }] }
  t.same(await codes(create, { input: { ...values, data: null, document } }), [['SCHEMA', 'input.document']])
  t.same(await codes(update, { id: 3, input: { document } }), [['SCHEMA', 'input.document']])
  t.same(await codes(create, { input: { ...values, document: {} } }), [['AMBIGUOUS', 'input.document']])
  t.same(await codes(update, { id: 4, input: {} }), [['NOT_FOUND', 'id']])
  t.same(await codes(remove, { id: 4 }), [['NOT_FOUND', 'id']])
  t.same(await codes(restore, { id: 3, revision: 2 }), [['NOT_FOUND', 'revision']])
  const conflict = (await send(update, { id: 3, input: { name: 'x' }, revision: 7 })).data.write
  t.match(conflict, {
    product: { id: 3, revision: 1 },
    userErrors: [{ code: 'CONFLICT', path: ['expectedRevision'], currentRevision: 1 }]
  })
  const tracking = {
    ...values,
    componentName: 'TrackingRecord',
    data: '{"attributes":[{"trait_type":"MadeIn","value":7}]}'
  }
  const { userErrors } = (await send(create, { input: tracking })).data.write
  t.ok(userErrors.length > 0)
  for (const { code, pointer } of userErrors) t.match([code, pointer], ['SCHEMA', /^\/attributes\/0/])
  t.match((await send('{ products { totalCount } }')).data.products, { totalCount: 1 }, 'nothing was written')
})

t.test('a token with write alone may write and select what it has written, but not query', async t => {
  const { send } = await writer(t)
  const written = await send(create, { input: values }, { scope: 'write' })
  t.match(written, { status: 200, data: { write: { product: { id: 1, data: values.data } } } })
  const refused = await send('{ __typename }', {}, { scope: 'write' })
  t.equal(refused.status, 403)
  t.match(refused.headers.get('www-authenticate'), /error="insufficient_scope", scope="read"/)
})

t.test('of many writers who expect the same revision, one wins', async t => {
  const { send } = await writer(t)
  await send(create, { input: { ...values, id: 1 } })
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      send(update, { id: 1, input: { name: `n${number}` }, revision: 1 })
    )
  )
  const [won, ...more] = all.filter(({ data }) => data.write.userErrors.length === 0)
  t.equal(more.length, 0)
  t.match(won?.data.write.product, { revision: 2 })
  for (const { data } of all.filter(each => each !== won))
    t.match(data.write.userErrors, [{ code: 'CONFLICT', currentRevision: 2 }])
})

t.test('many creations at once get different ids', async t => {
  const { send } = await writer(t)
  const all = await Promise.all(Array.from({ length: 12 }, () => send(create, { input: values })))
  const ids = all.map(({ data }) => data?.write.product.id)
  t.same(
    ids.toSorted((a, b) => a - b),
    Array.from({ length: 12 }, (_, index) => index + 1)
  )
})

t.test('a request with an Idempotency-Key is executed once', async t => {
  const { send } = await writer(t)
  const headers = { 'idempotency-key': 'a1' }
  const first = await send(create, { input: values }, { headers })
  await send(update, { id: 1, input: { name: 'later' } })
  const all = await Promise.all([1, 2, 3].map(() => send(create, { input: values }, { headers })))
  for (const { data } of all) t.same(data, first.data)
  const other = await send(create, { input: { ...values, name: 'other' } }, { headers })
  t.match(other.data.write, { product: null, userErrors: [{ code: 'IDEMPOTENCY_KEY_REUSED' }] })
  const at_once = { 'idempotency-key': 'a2' }
  const twins = await Promise.all(
    [1, 2, 3, 4].map(() => send(create, { input: values }, { headers: at_once }))
  )
  t.equal(new Set(twins.map(({ data }) => data.write.product.id)).size, 1)
  t.match((await send('{ products { totalCount } }')).data.products, { totalCount: 2 })
})

t.test('a message that no database can store is refused', async t => {
  const { send } = await writer(t)
  for (const message of ['a\0b', 'a\ud800b', 'x'.repeat(1001), '🍏'.repeat(1001)]) {
    const { data, errors } = await send(create, { input: values, message })
    t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
    t.same(data, { write: null })
  }
  t.same((await send('{ products { totalCount } }')).data.products, { totalCount: 0 })
  const longest = { input: values, message: '🍏'.repeat(1000) }
  t.match((await send(create, longest)).data.write, { userErrors: [] }, 'a character is a code point')
})

t.test('the problems of a stored document, however many, do not refuse another change', async t => {
  const { send, db } = await writer(t)
  const data = JSON.stringify({ attributes: Array.from({ length: 200 }, () => ({ trait_type: 1 })) })
  await addTemplates(db, { id: 0, data })
  t.match((await send(update, { id: 0, input: { name: 'Second' } })).data.write, {
    product: { revision: 2, name: 'Second' },
    userErrors: []
  })
  const [stored] = (await send('{ allProducts { componentName } }')).data.allProducts
  // A field that is given with its stored value does not change.
  const again = { ...stored, data, name: 'Third' }
  t.match((await send(update, { id: 0, input: again })).data.write, {
    product: { revision: 3, name: 'Third' },
    userErrors: []
  })
  const { userErrors } = (await send(update, { id: 0, input: { data: `${data} ` } })).data.write
  t.match(userErrors.at(-1), { code: 'MORE_PROBLEMS' })
})

t.test('after the highest id the next one is the highest that is free', async t => {
  const { send, db } = await writer(t)
  await addTemplates(db, { id: 5 }, { id: 2 ** 31 - 2 }, { id: 2 ** 31 - 1 })
  t.equal((await send(create, { input: values })).data.write.product.id, 6)
  await send(remove, { id: 6 })
  t.equal((await send(create, { input: values })).data.write.product.id, 7, 'a deleted id was used')
  await addTemplates(db, { id: 2 ** 31 - 10 })
  t.equal((await send(create, { input: values })).data.write.product.id, 2 ** 31 - 9)
})

t.test('the latest time that can be stored stays, and its cursor works', async t => {
  const { send, db } = await writer(t)
  const timeModified = '9999-12-31T23:59:59.999999Z'
  await addTemplates(db, { id: 1, timeModified }, { id: 2, timeModified })
  const writes = [
    [update, { id: 1, input: { name: 'changed' } }],
    [restore, { id: 1, revision: 1 }],
    [remove, { id: 1 }],
    [restore, { id: 1, revision: 2 }],
    [
      'mutation ($input: [ImportProductInput!]!) { write: importProducts(input: $input, mode: REPLACE) { product: products { timeModified } userErrors { code } } }',
      { input: [{ ...values, id: 1, name: 'imported' }] }
    ]
  ] as const
  for (const [text, variables] of writes) {
    const { data, errors } = await send(text, variables)
    t.equal(errors, undefined)
    t.match([data.write.product].flat(), [{ timeModified }], text)
    const page =
      'query ($after: String) { products(first: 1, after: $after) { nodes { id } pageInfo { endCursor } } }'
    let after: string | null = null
    for (let left = text === remove ? 1 : 2; left > 0; left--) {
      const answer: Answer = await send(page, { after })
      t.equal(answer.data.products.nodes.length, 1)
      after = answer.data.products.pageInfo.endCursor
    }
  }
})
