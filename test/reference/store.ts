/** Templates with documents of every size and kind, the same ones for the same seed. */
import type { ProductTemplate } from '../../domain/columns.ts'
import { formatTimestamp } from '../../domain/timestamp.ts'
import fc from '../support/generated/fast-check.ts'

const names = ['Amber Óak', 'amber oak', 'Birch_100%', 'ÄRGER', 'straße', '日本の木', 'x "y" \\', 'Zoë\n\t🍏']
export const traitTypes = [
  'MadeIn',
  'UnitsProduced',
  'FeaturesArray',
  'EmailOptional',
  '__proto__',
  'toString'
]
const traitValues: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  'Portugal',
  'Port',
  '',
  '7',
  7,
  -1,
  true,
  false,
  [],
  ['red', 'blue'],
  ['Port'],
  '2026-02-28',
  '2026-03-01',
  '2026-03-01T23:30:00+01:00',
  ['2026-03-31', '2026-03-01 or so'],
  null,
  1.5,
  { a: [1, { b: null }] },
  1e300
)

/** What filters look for. */
export const texts = [...names, ...traitTypes, 'Port', 'oak', 'é', '7', 'DefaultProduct', '']

/** Lengths around those at which documents are read and written in another way. */
const lengths = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constantFrom(2 ** 15 - 200, 2 ** 15 - 1, 2 ** 15, 2 ** 15 + 1) },
  { weight: 2, arbitrary: fc.integer({ min: 2 ** 15, max: 200_000 }) }
)

const entry = fc.oneof(
  { weight: 9, arbitrary: fc.record({ trait_type: fc.constantFrom(...traitTypes), value: traitValues }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown[]>(
      { value: 'no type' },
      'no entry',
      null,
      { trait_type: 'MadeIn' },
      []
    )
  }
)

const document = fc.record(
  {
    productId: fc.constantFrom<unknown[]>('', '1001', 1001, 1.5, null),
    description: fc.constantFrom<unknown[]>('common text', 'rare Café\nof the odd', 'é 🍏 \u2028', '', 7),
    external_url: fc.constantFrom<unknown[]>('', 'https://example.com/?a="b"', null),
    image: fc.constant('ipfs://bafy'),
    name: fc.constantFrom(...names),
    component: fc.constantFrom<unknown[]>('', 'DefaultProduct', 3),
    attributes: fc.oneof(fc.array(entry, { maxLength: 5 }), fc.constantFrom<unknown[]>({}, null, 'none'))
  },
  { requiredKeys: [] }
)

/** Texts that are no documents, or odd ones. */
const oddTexts = [
  '',
  ' ',
  'null',
  '[0]',
  '"text"',
  '7',
  '{',
  '{"name":"twice","name":"once"}',
  `${'['.repeat(300)}${']'.repeat(300)}`
]

const data = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ document, length: lengths, indent: fc.constantFrom(0, 0, 2) }).map(given => {
      const { document, length, indent } = given
      const rest = length - JSON.stringify(document).length
      const padded = rest > 0 ? { ...document, description: 'long é "text" \n'.repeat(rest / 15) } : document
      return JSON.stringify(padded, null, indent)
    })
  },
  { weight: 1, arbitrary: fc.constantFrom(...oddTexts) }
)

/** Few instants, so that the order of many templates is that of their ids. */
const times = fc
  .integer({ min: 0, max: 9 })
  .map(index => formatTimestamp(1_767_000_000_000_001 + index * 1_000_001))

const template = fc.record({
  id: fc.integer({ min: 0, max: 60 }),
  blockchainId: fc.integer({ min: -2, max: 3 }),
  maxItems: fc.integer({ min: 1, max: 50 }),
  name: fc.constantFrom(...names),
  publicProduct: fc.boolean(),
  componentName: fc.constantFrom('DefaultProduct', 'TrackingRecord'),
  timeCreated: times,
  timeModified: times,
  data
})

/** Makes the templates of a store. */
export function makeTemplates(seed: number): ProductTemplate[] {
  const lists = fc.uniqueArray(template, {
    selector: ({ id }) => id,
    minLength: 5,
    maxLength: 25,
    size: 'max'
  })
  return fc.sample(lists, { seed, numRuns: 1 })[0] as ProductTemplate[]
}
