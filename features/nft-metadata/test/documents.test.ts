// Runs on SQLite only.
/** Metadata of documents of any shape, compared with a second way to write it. */
import { t } from 'tap'
import fc from '../../../test/support/generated/fast-check.ts'
import { oddDocument } from '../../../test/support/generated/odd-json.ts'
import { metadataFormats, writeMetadata } from '../metadata.ts'
import { writeReference } from './reference.ts'

const longText = 'ä"\\'.repeat(2 ** 17)
const trait = (type: string, value: unknown) => JSON.stringify({ trait_type: type, value })
/** Lists whose second one would repeat the long name too often. */
const lists = trait('n'.repeat(100_000), ['a', 'b'])
/** Entries with all that OpenSea knows, and with values that it does not know. */
const displayed = [undefined, null, 'number', 'date', 'boost_number', 'boost_percentage', 'stars', 7].flatMap(
  type =>
    [1, 'text', true, ['a', 'b'], 1.5].map(value => ({
      trait_type: 'T',
      display_type: type,
      value,
      max_value: 10
    }))
)
const entries = [
  ...displayed,
  ...[{ value: 'Happy' }, { trait_type: null, value: 3 }, { trait_type: 7, value: 'x' }],
  ...[
    { value: ['a', 'b'], display_type: 'date' },
    { trait_type: 'M', value: 5, max_value: '10' }
  ]
]
const standard = entries.map(entry => JSON.stringify(entry)).join()
/** What makes a document long or special. */
const additions = {
  space: (data: string) => `${' '.repeat(2 ** 18)}${data}`,
  description: (data: string) => data.replace('{', `{"description":${JSON.stringify(longText)},`),
  unknown: (data: string) => data.replace('{', `{"other":[${JSON.stringify(longText)}],`),
  lists: (data: string) =>
    data.replace(/\}\s*$/, `,"attributes":[${[lists, lists, trait('long', longText)]}]}`),
  many: (data: string) =>
    data.replace(/\}\s*$/, `,"attributes":[${Array(9000).fill(trait('many', ['1', '', '2']))}]}`),
  standard: (data: string) =>
    data.replace(
      /\}\s*$/,
      `,"animation_url":"ipfs://x","youtube_url":7,"image_data":"<svg/>","background_color":"",
      "decimals":2,"localization":{"uri":"u","default":"en","locales":["de"],"other":1},"attributes":[${standard}]}`
    ),
  cut: (data: string) => `${' '.repeat(2 ** 18)}${data.slice(0, -1)}`,
  nothing: (data: string) => data
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

t.test('documents of every length and shape', async t => {
  const options = fc.record({
    format: fc.constantFrom(...metadataFormats),
    ipfsGateway: fc.constantFrom(undefined, 'https://gateway.example/ipfs/')
  })
  const addition = fc.constantFrom(...Object.entries(additions))
  const isSame = fc.property(oddDocument(20_000), addition, options, (document, [how, add], options) => {
    const data = add(document)
    // What is added in another place than was meant makes no JSON.
    fc.pre(how === 'cut' || isJson(data))
    return writeMetadata({ name: 'n', data }, options) === writeReference({ name: 'n', data }, options)
  })
  t.doesNotThrow(() => fc.assert(isSame, { numRuns: 75 }))
})
