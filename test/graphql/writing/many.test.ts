/** updateProducts, deleteProducts and restoreProducts: many templates in one transaction. */
import { t } from 'tap'
import { templates } from '../../../store.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { addTemplates, storedTemplates } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { writer } from './store.ts'

const payload =
  'count written { templateId revision } userErrors { code templateId path pointer currentRevision }'
const change = `mutation ($ids: [Int!], $where: ProductTemplateFilter, $change: ProductChangeInput!, $count: Int, $message: String) {
  write: updateProducts(ids: $ids, where: $where, change: $change, expectedCount: $count, message: $message) { ${payload} warnings { code templateId } } }`
const remove = `mutation ($ids: [Int!], $where: ProductTemplateFilter, $count: Int) {
  write: deleteProducts(ids: $ids, where: $where, expectedCount: $count) { ${payload} } }`
const restore = `mutation ($input: [RestoreProductInput!]!) { write: restoreProducts(input: $input) { ${payload} } }`

const color = (value: string) =>
  `{ "name": "A",\n  "attributes": [\n    { "trait_type": "Color", "value": "${value}" }\n  ] }\n`
const colored = { trait: { type: 'Color', equals: 'red' } }

interface Key {
  templateId: number
  revision: number
}

/** The restoration that undoes what was written. */
const undo = (written: Key[]) =>
  written.map(({ templateId: id, revision }) => ({ id, revision: revision - 1, expectedRevision: revision }))

t.test('traits are set in the data that the same change gives', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1, data: color('red') }, { id: 2, data: color('blue') })
  const setTraits = [{ traitType: 'Color', value: 'red' }]
  const changed = await send(change, { ids: [1, 2], change: { data: color('green'), setTraits } })
  const written = [{ templateId: 2, revision: 2 }]
  t.same(changed.data.write, { count: 2, written, userErrors: [], warnings: [] })
  for (const { data } of await storedTemplates(db)) t.equal(data, color('red'))
})

t.test('a change of what matches is one transaction, is in each history, and can be undone', async t => {
  const { db, send } = await writer(t)
  await addTemplates(
    db,
    { id: 1, data: color('red') },
    { id: 2, data: color('blue') },
    { id: 3, data: color('red') }
  )
  const before = await storedTemplates(db)
  const changed = await send(change, {
    where: colored,
    change: {
      publicProduct: false,
      setTraits: [
        { traitType: 'Color', value: 'green' },
        { traitType: 'Units', value: 7 }
      ]
    },
    count: 2,
    message: 'new season'
  })
  const written = [
    { templateId: 1, revision: 2 },
    { templateId: 3, revision: 2 }
  ]
  t.equal(changed.errors, undefined)
  t.same(changed.data.write, { count: 2, written, userErrors: [], warnings: [] })
  const now = await storedTemplates(db)
  t.same(
    now.find(({ id }) => id === 1)?.data,
    '{ "name": "A",\n  "attributes": [\n    { "trait_type": "Color", "value": "green" },\n    {"trait_type":"Units","value":7}\n  ] }\n',
    'all else stays to the byte'
  )
  t.same(
    now.find(({ id }) => id === 2),
    before.find(({ id }) => id === 2)
  )
  const history = await send(
    '{ product(id: 3) { publicProduct revisions { nodes { action message subject } } } }'
  )
  t.match(history.data.product, {
    publicProduct: false,
    revisions: { nodes: [{ action: 'UPDATE', message: 'new season', subject: /./ }, {}] }
  })
  t.same(
    (
      await send('query ($where: ProductTemplateFilter) { products(where: $where) { totalCount } }', {
        where: { trait: { type: 'Units', equals: 7 } }
      })
    ).data.products.totalCount,
    2,
    'the index has it'
  )

  await addTemplates(db, { id: 4, data: '{"attributes":[{"trait_type":"","value":"x"}]}' })
  const odd = { ids: [4], change: { publicProduct: false, removeTraits: ['Draft'] } }
  t.match(
    (await send(change, odd)).data.write,
    { userErrors: [], written: [{ templateId: 4 }] },
    'what stays is not checked'
  )
  const again = await send(change, { ids: [1, 3], change: { publicProduct: false } })
  t.same(again.data.write, { count: 2, written: [], userErrors: [], warnings: [] }, 'nothing changes')

  await templates.update(db, 3, { name: 'somebody else' })
  const late = await send(restore, { input: undo(written) })
  t.match(late.data.write, {
    count: 0,
    written: [],
    userErrors: [{ code: 'CONFLICT', templateId: 3, currentRevision: 3 }]
  })
  t.equal(
    (await storedTemplates(db)).find(({ id }) => id === 1)?.publicProduct,
    false,
    'nothing was restored'
  )
  const undone = await send(restore, { input: undo(written.slice(0, 1)) })
  t.same(undone.data.write.written, [{ templateId: 1, revision: 3 }])
  const { timeModified: _, ...restored } = (await storedTemplates(db)).find(
    ({ id }) => id === 1
  ) as object & { timeModified: string }
  t.match(
    before.find(({ id }) => id === 1),
    restored
  )
})

t.test('a deletion of many can be undone as long as nobody has used the ids', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 }, { id: 2 }, { id: 3 })
  t.match((await send(remove, { ids: [1, 2, 9] })).data.write, {
    count: 0,
    userErrors: [{ code: 'NOT_FOUND', templateId: 9, path: ['ids', '2'] }]
  })
  t.equal((await storedTemplates(db)).length, 3, 'nothing was deleted')
  const { written } = (await send(remove, { ids: [2, 1, 2], count: 2 })).data.write
  t.same(written, [
    { templateId: 1, revision: 2 },
    { templateId: 2, revision: 2 }
  ])
  t.same(
    (await storedTemplates(db)).map(({ id }) => id),
    [3]
  )
  const undone = await send(restore, { input: undo(written) })
  t.match(undone.data.write, { count: 2, userErrors: [] })
  t.same((await storedTemplates(db)).map(({ id }) => id).sort(), [1, 2, 3])
  t.match((await send(restore, { input: undo(written) })).data.write, {
    count: 0,
    userErrors: [
      { code: 'CONFLICT', templateId: 1, currentRevision: 3, path: ['input', '0', 'expectedRevision'] },
      { code: 'CONFLICT', templateId: 2, currentRevision: 3, path: ['input', '1', 'expectedRevision'] }
    ]
  })
  const unknown = [3, 1].map(id => ({ id, revision: id === 1 ? 99 : 1 }))
  t.match((await send(restore, { input: unknown })).data.write, {
    userErrors: [{ code: 'NOT_FOUND', templateId: 1, path: ['input', '1', 'revision'] }]
  })
})

t.test('one problem, and nothing is written; each is reported with its template', async t => {
  const { db, send } = await writer(t)
  await addTemplates(
    db,
    { id: 1 },
    { id: 2, data: '[]' },
    { id: 3, componentName: 'TrackingRecord', data: '{"attributes":[]}' }
  )
  const before = await storedTemplates(db)
  const refused = async (variables: object) => (await send(change, variables)).data.write
  t.match(await refused({ ids: [1, 2], change: { setTraits: [{ traitType: 'A', value: 'x' }] } }), {
    userErrors: [{ code: 'WRONG_TYPE', templateId: 2, path: ['change', 'setTraits'] }]
  })
  t.match(await refused({ ids: [2], change: { removeTraits: ['A'] } }), {
    userErrors: [{ code: 'WRONG_TYPE', path: ['change', 'removeTraits'] }]
  })
  t.match(
    await refused({ ids: [3], change: { document: { attributes: [{ traitType: 'MadeIn', value: 7 }] } } }),
    {
      userErrors: [{ code: 'SCHEMA', path: ['change', 'document'] }]
    }
  )
  t.match(await refused({ ids: [2], change: { componentName: 'TrackingRecord' } }), {
    userErrors: [{ code: 'SCHEMA', path: ['change', 'componentName'] }]
  })
  t.match(await refused({ ids: [1, 3], change: { setTraits: [{ traitType: 'A', value: 'x' }] } }), {
    userErrors: [{ code: 'SCHEMA', templateId: 3, path: ['change', 'setTraits'] }]
  })
  t.match(await refused({ ids: [1], change: { maxItems: 0 } }), {
    userErrors: [{ code: 'OUT_OF_RANGE', templateId: 1, path: ['change', 'maxItems'] }]
  })
  t.match(await refused({ where: {}, count: 2, change: { name: 'x' } }), {
    userErrors: [{ code: 'UNEXPECTED_COUNT', templateId: null, path: ['expectedCount'] }]
  })
  t.match(await refused({ ids: [1], change: { data: '{}', document: {} } }), {
    userErrors: [{ code: 'AMBIGUOUS', path: ['change', 'document'] }]
  })
  t.same(await storedTemplates(db), before)
  const set = { traitType: 'A', value: 'x' }
  for (const variables of [
    { change: {} },
    { ids: [1], where: {}, change: {} },
    { ids: Array.from({ length: 10_001 }, (_, id) => id), change: {} },
    { ids: [1], change: { setTraits: [set], removeTraits: ['A'] } },
    {
      ids: [1],
      change: { setTraits: Array.from({ length: 101 }, (_, n) => ({ ...set, traitType: `${n}` })) }
    },
    { where: { timeCreated: { after: 'x' } }, change: {} }
  ])
    t.match((await send(change, variables)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  t.match((await send(change, { ids: [1], change: {} }, { scope: 'read' })).errors, [
    { extensions: { code: 'FORBIDDEN' } }
  ])
})

t.test('a change that takes too long writes nothing, and says so', async t => {
  const { db, send } = await writer(t, { graphqlTimeout: 1 })
  await addTemplates(db, { id: 1, name: 'Before' })
  const late = await db.transaction().execute(async transaction => {
    await transaction.updateTable('product_template').set({ name: 'Before' }).where('id', '=', 1).execute()
    // It waits for this transaction until its time is over.
    return send(change, { ids: [1], change: { name: 'Too late' } })
  })
  const message =
    'the operation took longer than 1 seconds; nothing of this change was written. Change fewer templates at once, or raise GRAPHQL_TIMEOUT'
  t.same(late.errors, [{ message, extensions: { code: 'TIMEOUT', reason: 'NOTHING_WRITTEN' } }])
  // A busy machine may take longer than a second.
  let next = late
  await until(async () => {
    next = await send(change, { ids: [1], change: { maxItems: 7 } })
    return next.errors?.[0].extensions.code !== 'TIMEOUT'
  })
  t.match(next.data.write, { count: 1, written: [{ templateId: 1, revision: 2 }], userErrors: [] })
  t.match(await storedTemplates(db), [{ id: 1, name: 'Before', maxItems: 7 }])
})

// On SQLite, the first change would wait, too.
onlyOn(
  'postgres',
  'a change that takes too long after another one does not say that nothing was written',
  async t => {
    // Seconds: enough for the first change on a busy machine, and less than a lock may take.
    const { db, send } = await writer(t, { graphqlTimeout: 4 })
    await addTemplates(db, { id: 1, name: 'Before' })
    const both = `mutation ($input: [ImportProductInput!]!) {
    first: importProducts(input: $input) { created userErrors { message } }
    second: updateProducts(ids: [1], change: { name: "Too late" }) { count }
  }`
    const input = [
      {
        id: 2,
        blockchainId: 1,
        maxItems: 1,
        name: 'A',
        publicProduct: true,
        componentName: 'A',
        data: color('red')
      }
    ]
    const late = await db.transaction().execute(async transaction => {
      await transaction.selectFrom('product_template').select('id').where('id', '=', 1).forUpdate().execute()
      return send(both, { input })
    })
    t.match(late.errors, [
      { message: 'the operation took longer than 4 seconds', extensions: { code: 'TIMEOUT' } }
    ])
    t.notMatch(late.errors, [{ extensions: { reason: /./ } }])
    t.match(await storedTemplates(db), [{ id: 2 }, { id: 1, name: 'Before' }])
  }
)

t.test('a mutation says that it is done if its result is too large', async t => {
  const { db, send } = await writer(t, { graphqlMaxResultSize: 1024 })
  await addTemplates(db, { id: 1, data: color('x'.repeat(2000)) })
  const changed = await send(
    'mutation { updateProduct(id: 1, input: { name: "Done" }) { product { data } } }',
    {}
  )
  t.match(changed.errors, [
    {
      message: 'the operation is done, but its result is too large',
      extensions: { code: 'RESULT_TOO_LARGE' }
    }
  ])
  t.match(await storedTemplates(db), [{ name: 'Done' }])
})

// PostgreSQL gives up its lock before.
onlyOn(
  'sqlite',
  'a large change that waits for a thread, and one on it, say that they have written nothing',
  async t => {
    const { db, send } = await writer(t, { graphqlTimeout: 1 })
    // More than runs on the thread of the service. Only one thread takes changes of this size.
    const ids = Array.from({ length: 60 }, (_, id) => id)
    await addTemplates(db, ...ids.map(id => ({ id })))
    // A busy machine may take longer than a second to start the thread.
    await until(
      async () => (await send(change, { ids, change: { name: 'Before' } })).data?.write.count === ids.length
    )
    const late = await db.transaction().execute(async transaction => {
      await transaction.updateTable('product_template').set({ name: 'Before' }).where('id', '=', 1).execute()
      return Promise.all([1, 2].map(() => send(change, { ids, change: { name: 'Too late' } })))
    })
    for (const { errors } of late)
      t.match(errors, [{ extensions: { code: 'TIMEOUT', reason: 'NOTHING_WRITTEN' } }])
    t.ok((await storedTemplates(db)).every(({ name }) => name === 'Before'))
  }
)

t.test('what does not match any more when it is locked is left out', async t => {
  const { db, send } = await writer(t)
  const ids = Array.from({ length: 40 }, (_, id) => id)
  await addTemplates(db, ...ids.map(id => ({ id, data: color('red') })))
  // Each wants to be the one that gives the templates a color.
  const answers = await Promise.all(
    ['green', 'blue', 'grey', 'pink'].map(value =>
      send(change, { where: colored, change: { setTraits: [{ traitType: 'Color', value }] } })
    )
  )
  const counts = answers.map(({ data }) => data.write.count)
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    ids.length,
    `${counts}`
  )
})

t.test('a filter costs what it may write, as ids do', async t => {
  const { db, send } = await writer(t, { graphqlMaxCost: 1000 })
  const ids = Array.from({ length: 40 }, (_, index) => index + 1)
  await addTemplates(db, ...ids.map(id => ({ id })))
  for (const selection of [{ ids }, { where: {} }, { where: { id: { equals: 1 } } }]) {
    const { errors } = await send(change, { ...selection, change: { maxItems: 9 } })
    t.match(errors, [{ extensions: { code: 'COST_LIMIT' } }], JSON.stringify(selection))
  }
  for (const selection of [{ ids: [1] }, { where: { id: { equals: 1 } }, count: 1 }]) {
    const { data } = await send(change, { ...selection, change: { maxItems: 9 } })
    t.equal(data.write.count, 1, JSON.stringify(selection))
  }
  const more = await send(change, { where: {}, count: 1, change: { maxItems: 9 } })
  t.match(more.data.write.userErrors, [{ code: 'UNEXPECTED_COUNT' }])
})
