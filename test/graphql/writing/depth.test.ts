/** The levels of a document are limited in every mode of validation: readers may be recursive. */
import { t } from 'tap'
import { defaultValues } from '../../../domain/columns.ts'
import * as store from '../../../store.ts'
import { addTemplates, storedTemplates } from '../../support/service/service.ts'
import { create, restore, update, values, writer } from './store.ts'

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** A document with a number of levels. */
const nested = (levels: number): string => `{"name":"]","attributes":[],"x":${lists(levels - 1)}}`

const problems = 'userErrors { code path pointer }'
const updateMany = `mutation ($change: ProductChangeInput!) {
  write: updateProducts(ids: [1, 2], change: $change) { count ${problems} } }`
const importMany = `mutation ($input: [ImportProductInput!]!, $mode: ImportMode!) {
  write: importProducts(input: $input, mode: $mode) { created replaced ${problems} } }`

for (const validation of ['enforce', 'warn', 'off'] as const)
  t.test(`GraphQL and the store refuse more than 100 levels with ${validation}`, async t => {
    const { send, db } = await writer(t, { validation })
    // Another program has stored what the service does not store.
    await addTemplates(db, { id: 1, data: nested(101) }, { id: 2, data: nested(100) })
    await send(update, { id: 1, input: { data: '{"attributes":[]}' } })
    const before = await storedTemplates(db)
    const deep = { ...defaultValues, ...values, data: nested(101) }
    const writes: Record<string, [string, object]> = {
      create: [create, { input: deep }],
      update: [update, { id: 1, input: { data: deep.data } }],
      'update many': [updateMany, { change: { data: deep.data } }],
      'update many and a trait': [updateMany, { change: { data: deep.data, removeTraits: ['x'] } }],
      'import, new': [importMany, { input: [values, deep], mode: 'CREATE' }],
      'import, known': [importMany, { input: [{ id: 1, ...deep }], mode: 'REPLACE' }],
      restore: [restore, { id: 1, revision: 1 }]
    }
    for (const [name, [text, variables]] of Object.entries(writes)) {
      const { data, errors } = await send(text, variables)
      t.same(errors, undefined, name)
      t.equal(data?.write.userErrors[0]?.code, 'TOO_DEEP', name)
    }
    const options = { validation: { validation } }
    const writtenByHost = [
      await store.templates.create(db, deep, options),
      await store.templates.update(db, 1, { data: deep.data }, options),
      await store.templates.restore(db, 1, 1)
    ]
    for (const { problems } of writtenByHost) t.match(problems, [{ code: 'TOO_DEEP' }])
    const validate = () => ({ problems: [], warnings: [] })
    const imported = await store.templates.import(db, [{ values: deep, place: 1 }], { validate })
    t.match(imported, { written: false, problems: [{ code: 'TOO_DEEP', path: ['data'], place: 1 }] })
    t.same(await storedTemplates(db), before)
    const kept = await send(update, { id: 2, input: { name: 'other' } })
    t.same(kept.data.write.userErrors, [], 'other fields change')
    const allowed = await send(create, { input: { ...values, data: nested(100) } })
    t.same(allowed.data.write.userErrors, [], '100 levels are stored')
  })

t.test('the place of what is too deep is reported', async t => {
  const { send } = await writer(t, { validation: 'off' })
  const { data } = await send(create, { input: { ...values, data: `{"a":${lists(150)}}` } })
  t.match(data.write.userErrors, [
    { message: 'data has more than 100 levels', pointer: `/a${'/0'.repeat(99)}` }
  ])
})
