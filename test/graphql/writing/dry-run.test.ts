import { t } from 'tap'
import { addTemplates, storedTemplates } from '../../support/service/service.ts'
import { create, update, values, writer } from './store.ts'

const payload = `product { id revision name data } diff { patch } userErrors { code path currentRevision }`
const dryCreate = `mutation ($input: CreateProductInput!) { write: createProduct(input: $input, dryRun: true) {
  product { id revision name } userErrors { code } } }`
const dryUpdate = `mutation ($id: Int!, $input: UpdateProductInput!, $revision: Int) {
  write: updateProduct(id: $id, input: $input, expectedRevision: $revision, dryRun: true) { ${payload} } }`
const dryRestore = `mutation ($id: Int!, $revision: Int!, $expected: Int) {
  write: restoreProduct(id: $id, revision: $revision, expectedRevision: $expected, dryRun: true) { ${payload} } }`
const dryDelete = `mutation { write: deleteProduct(id: 0, dryRun: true) { product { id } userErrors { code } } }`
const restore = dryRestore.replace('true', 'false')

t.test('a dry run answers as the write, with the difference, and writes nothing', async t => {
  const { db, send } = await writer(t)
  await send(create, { input: { id: 0, ...values } })
  await send(update, { id: 0, input: { name: 'Second' } })
  const before = await storedTemplates(db)
  const count = () => db.selectFrom('product_revision').select('sequence').execute()
  const revisions = await count()

  const created = await send(dryCreate, { input: { id: 5, ...values } })
  t.match(created.data.write, { product: { id: 5, revision: 1, name: 'First' }, userErrors: [] })
  const updated = await send(dryUpdate, { id: 0, input: { name: 'Third' }, revision: 2 })
  t.match(updated.data.write, {
    product: { id: 0, revision: 3, name: 'Third', data: values.data },
    diff: { patch: [{ op: 'replace', path: '/name', value: 'Third' }] },
    userErrors: []
  })
  const restored = await send(dryRestore, { id: 0, revision: 1, expected: 2 })
  t.match(restored.data.write, {
    product: { revision: 3, name: 'First' },
    diff: { patch: [{ op: 'replace', path: '/name', value: 'First' }] }
  })
  t.match((await send(dryDelete)).data.write, { product: { id: 0 }, userErrors: [] })

  t.same(await storedTemplates(db), before)
  t.same(await count(), revisions)
})

t.test('a dry run reports what the write would refuse, and needs the same scope', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 0 })
  const problems = async (query: string, variables: object) =>
    (await send(query, variables)).data.write.userErrors.map(({ code }: { code: string }) => code)
  t.same(await problems(dryCreate, { input: { id: 0, ...values } }), ['ID_TAKEN'])
  t.same(await problems(dryUpdate, { id: 0, input: { name: 'x' }, revision: 7 }), ['CONFLICT'])
  t.same(await problems(dryUpdate, { id: 9, input: { name: 'x' } }), ['NOT_FOUND'])
  t.same(await problems(dryRestore, { id: 0, revision: 9 }), ['NOT_FOUND'])
  const { errors } = await send(dryUpdate, { id: 0, input: { name: 'x' } }, { scope: 'read' })
  t.equal(errors[0].extensions.code, 'FORBIDDEN')
  const same = await send(dryUpdate, { id: 0, input: { name: 'template 0' } })
  t.match(same.data.write, { product: { revision: 1 }, diff: null, userErrors: [] })
})

t.test('a dry run of an import counts, and needs no turn of its Idempotency-Key', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 0, name: 'Old' }, { id: 1, name: 'Old' })
  const before = await storedTemplates(db)
  const dryImport = `mutation ($input: [ImportProductInput!]!, $dryRun: Boolean!) {
    write: importProducts(input: $input, mode: REPLACE, dryRun: $dryRun) {
      products { id } created replaced userErrors { code path currentRevision } } }`
  const input = [{ ...values, id: 0 }, { ...values, id: 1, expectedRevision: 1 }, values]
  const headers = { 'idempotency-key': 'k' }
  const dry = await send(dryImport, { input, dryRun: true }, { headers })
  t.same(dry.data.write, { products: [], created: 1, replaced: 2, userErrors: [] })
  t.same(await storedTemplates(db), before)
  t.same(await db.selectFrom('product_bulk_change').select('id').execute(), [], 'no bulkChange')
  const stale = [{ ...values, id: 1, expectedRevision: 7 }]
  t.same((await send(dryImport, { input: stale, dryRun: true })).data.write.userErrors, [
    { code: 'CONFLICT', path: ['input', '0', 'expectedRevision'], currentRevision: 1 }
  ])
  const written = await send(dryImport, { input, dryRun: false }, { headers })
  t.match(written.data.write, { created: 1, replaced: 2, products: [{ id: 0 }, { id: 1 }, { id: 2 }] })
})

t.test('a dry run does not use up an Idempotency-Key', async t => {
  const { db, send } = await writer(t)
  const headers = { 'idempotency-key': 'k' }
  t.same((await send(dryCreate, { input: values }, { headers })).data.write.userErrors, [])
  t.same((await send(create, { input: values }, { headers })).data.write.userErrors, [])
  t.equal((await storedTemplates(db)).length, 1)
})

t.test('restoreProduct refuses another revision than the expected one', async t => {
  const { send } = await writer(t)
  await send(create, { input: { id: 0, ...values } })
  await send(update, { id: 0, input: { name: 'Second' } })
  const { data } = await send(restore, { id: 0, revision: 1, expected: 1 })
  t.match(data.write, {
    userErrors: [{ code: 'CONFLICT', path: ['expectedRevision'], currentRevision: 2 }]
  })
  t.match((await send(restore, { id: 0, revision: 1, expected: 2 })).data.write, {
    product: { revision: 3 },
    diff: { patch: [{ path: '/name' }] }
  })
})
