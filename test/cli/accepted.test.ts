// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** Whatever the JSON Schema accepts is stored, found by its traits, and leaves and comes back to the byte. */
import { t } from 'tap'
import { defaultValues } from '../../domain/columns.ts'
import { openDatabase, templates } from '../../store.ts'
import { anyUrl } from '../support/generated/any-text.ts'
import fc from '../support/generated/fast-check.ts'
import { run } from '../support/service/process.ts'
import { emptyStore } from './import-files.ts'

const text = fc.oneof(
  fc.constantFrom('', '1', 'true', '=1+1', '["a"]', '"', ';', '\r\n', '\u{1F9FF}', 'null'),
  fc.string({ unit: 'grapheme' })
)
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 3 }))
const trait = fc.record(
  { trait_type: fc.oneof(fc.constantFrom('MadeIn', 'UnitsProduced', 'FeaturesArray', 'Own'), text), value },
  { requiredKeys: ['trait_type'] }
)
const document = fc.record(
  {
    productId: fc.oneof(fc.integer(), fc.constantFrom('', '007')),
    description: text,
    name: text,
    image: fc.oneof(fc.constantFrom('', '{ipfs_url}/é'), anyUrl),
    attributes: fc.array(trait, { maxLength: 4 }),
    own: fc.jsonValue({ maxDepth: 2 })
  },
  { requiredKeys: [] }
)
const space = fc.constantFrom('', '  ', '\t')

t.test('documents that the schema accepts', async t => {
  const from = await emptyStore(t)
  const db = await openDatabase(from.env.DATABASE_URL)
  const accepted = new Map<number, string>()
  const store = fc.asyncProperty(document, space, async (given, indent) => {
    const data = JSON.stringify(given, null, indent)
    const { product } = await templates.create(db, {
      ...defaultValues,
      name: 'any',
      publicProduct: true,
      data
    })
    if (product) accepted.set(product.id, data)
  })
  await fc.assert(store, { numRuns: 150 })
  t.ok(accepted.size > 50, `${accepted.size} of 150 are accepted`)

  const missed: unknown[] = []
  for (const [id, data] of accepted) {
    if ((await templates.find(db, id))?.data !== data) missed.push([id, data])
    for (const { trait_type: type, value } of JSON.parse(data).attributes ?? []) {
      const where = {
        id: { equals: id },
        trait: { type, ...(value === undefined ? { exists: true } : { equals: value }) }
      }
      if ((await templates.list(db, { where })).length !== 1) missed.push([id, type, value])
    }
  }
  t.same(missed, [])
  await db.destroy()

  for (const format of ['json', 'ndjson']) {
    const file = from.path(`all.${format}`)
    t.equal((await run(t, ['export', file], from.env)).code, 0)
    const to = await emptyStore(t)
    t.equal((await run(t, ['import', '--validation', 'enforce', file], to.env)).code, 0)
    t.same(await to.templates(), await from.templates(), format)
  }
})
