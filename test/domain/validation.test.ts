// Runs on SQLite only.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { t } from 'tap'
import { columns, defaultValues, fieldNames } from '../../domain/columns.ts'
import { parseDocument } from '../../domain/document.ts'
import { maxProblems, Problems, problemCodes } from '../../domain/validation/problem.ts'
import {
  checkJson,
  type GivenTemplate,
  type ValidationOptions,
  validateTemplate
} from '../../domain/validation/validate.ts'
import { checkWith } from '../../explorer/edit/check-document.ts'
import { checkFields } from '../../explorer/edit/check-fields.ts'
import { demoTemplates } from '../../seeds/seed.ts'
import { anyUrl } from '../support/generated/any-text.ts'
import fc from '../support/generated/fast-check.ts'

const publishedSchema = JSON.parse(
  readFileSync(new URL('../../domain/template.schema.json', import.meta.url), 'utf8')
)

const good = {
  ...defaultValues,
  id: 7,
  maxItems: 10,
  name: 'a template',
  publicProduct: true,
  data: '{"name":"","attributes":[]}'
}

const validate = (changes: GivenTemplate, options: ValidationOptions = {}) =>
  validateTemplate({ ...good, ...changes }, options).problems

/** The problems of a document: pointer and message. */
const problemsOf = (document: unknown, componentName = 'DefaultProduct') =>
  validate({ data: JSON.stringify(document), componentName }).map(({ pointer, message }) => [
    pointer,
    message
  ])

const withTraits = (...attributes: unknown[]) => ({ name: '', attributes })

t.test('every demo template is accepted', async t => {
  for (const template of demoTemplates)
    t.same(validateTemplate(template), { problems: [], warnings: [] }, template.name)
})

t.test('the explorer finds the same problems of fields, in plainer words', async t => {
  const wrong = { id: -1, blockchainId: 1.5, maxItems: 0, name: '', publicProduct: 'x', componentName: '\0' }
  const find = (list: { code: string; path: string[] }[]) => list.map(({ code, path }) => [code, ...path])
  const found = checkFields(fieldNames, { ...good, ...wrong })
  // The times are those of an import.
  t.same(find(found.filter(({ path: [field = ''] }) => !field.startsWith('time'))), find(validate(wrong)))
  t.match(found, [
    { message: 'must be a whole number from 0 to ' },
    { code: 'WRONG_TYPE' },
    { code: 'OUT_OF_RANGE' },
    { message: 'must not be empty' },
    { message: 'must be yes or no' },
    { code: 'INVALID_TEXT' }
  ])
  t.equal(checkFields(['name'], { name: 7 })[0]?.message, 'must be a text')
})

t.test('the example of the documents is accepted', async t => {
  const text = readFileSync(new URL('../../docs/validation.md', import.meta.url), 'utf8')
  const [, data = ''] = text.match(/```json\n([\s\S]*?)\n```/) ?? []
  t.same(validate({ data }), [])
})

t.test('the irregularities of real documents are accepted', async t => {
  for (const productId of [0, -1, 9007199254740991, '0032', ''])
    t.same(problemsOf({ ...withTraits(), productId }), [])
  for (const entry of [
    { trait_type: 'EmailOptional' },
    { trait_type: 'EmailOptional', value: false },
    { trait_type: 'UnitsProduced', value: '' },
    { trait_type: 'UnitsProduced', value: 'about 20' },
    { trait_type: 'UnitsProduced', value: 20 },
    { trait_type: 'FeaturesArray', value: [] },
    { trait_type: 'FeaturesArray', value: ['', 'new'] },
    { trait_type: 'IPFSBrandLogo', value: 'https://ipfs.example.com/ipfs/' },
    { trait_type: 'Video', value: '' },
    ...['', 'Oslo', 7, true, ['a'], []].map(value => ({
      trait_type: 'Harbour',
      value,
      note: { deep: [null] }
    }))
  ])
    t.same(problemsOf(withTraits(entry, entry)), [], JSON.stringify(entry))
  t.same(
    problemsOf({ ...withTraits(), component: 'CertificateOfOrigin', animation_url: null }, 'Unheard'),
    []
  )
})

t.test('external_url and image are links or empty, in the service and in the explorer', async t => {
  const checkInExplorer = checkWith(publishedSchema)
  const links = [
    '',
    'https://example.com',
    'HTTP://[::1]:80/é?a=%20#b',
    'ipfs://bafy',
    'ipfs://',
    '{ipfs_url}/'
  ]
  const others = [
    'not a url',
    'example.com',
    '/path',
    '//example.com',
    'https://example.com/a b',
    ' ',
    'https://a\n',
    '\nhttps://a'
  ]
  for (const key of ['external_url', 'image']) {
    const check = (text: string) => checkInExplorer(JSON.stringify({ [key]: text }), 'DefaultProduct')
    for (const link of links) {
      t.same(problemsOf({ ...withTraits(), [key]: link }), [], link)
      t.same(check(link), [], link)
    }
    const rule =
      'must be an absolute URL without spaces, a link that begins with {ipfs_url}/, or an empty string'
    for (const text of others) {
      t.same(problemsOf({ ...withTraits(), [key]: text }), [[`/${key}`, `${key} ${rule}`]], text)
      t.match(
        check(text),
        [{ pointer: `/${key}`, message: 'must be a link without spaces or nothing' }],
        text
      )
    }
  }
})

t.test('every problem is reported at once, with its place', async t => {
  t.same(
    problemsOf({
      productId: 'x1',
      description: null,
      attributes: [
        { trait_type: 'EmailOptional', value: '' },
        { trait_type: 'FeaturesArray', value: ['', 1] },
        { trait_type: 'UnitsProduced', value: 9007199254740992 },
        { trait_type: 'Harbour', value: 1.5 },
        { trait_type: 'Harbour', value: null },
        { trait_type: '' },
        { value: 1 },
        7
      ]
    }),
    [
      ['/productId', 'productId must be an integer, a string of digits or an empty string'],
      ['/description', 'description must be a string'],
      ['/attributes/0/value', 'attributes[0].value must be true or false (trait EmailOptional)'],
      ['/attributes/1/value/1', 'attributes[1].value[1] must be a string (trait FeaturesArray)'],
      ['/attributes/2/value', 'attributes[2].value must be at most 9007199254740991 (trait UnitsProduced)'],
      ...[3, 4].map(index => [
        `/attributes/${index}/value`,
        `attributes[${index}].value must be a string, an integer, true or false or a list of strings`
      ]),
      ['/attributes/5/trait_type', 'attributes[5].trait_type must not be empty'],
      ['/attributes/6', 'attributes[6] has no trait_type'],
      ['/attributes/7', 'attributes[7] must be an object']
    ]
  )
  for (const document of [null, [], 'x', 1])
    t.same(problemsOf(document), [['', 'the document must be an object']])
})

t.test('a TrackingRecord carries only its two traits', async t => {
  const entries = [
    { trait_type: 'ProductType', value: 'Crate' },
    { trait_type: 'MadeIn', value: 1 }
  ]
  t.same(problemsOf(withTraits(entries[0]), 'TrackingRecord'), [])
  t.same(problemsOf(withTraits(...entries), 'TrackingRecord'), [
    ['/attributes/1/value', 'attributes[1].value must be a string (trait MadeIn)'],
    ['/attributes/1/trait_type', 'attributes[1].trait_type must be ProductType or UnitsProduced']
  ])
})

t.test('the fields are checked, and their values are not repeated', async t => {
  const problems = validateTemplate({
    ...defaultValues,
    id: -1,
    blockchainId: 2 ** 31,
    maxItems: 0.5,
    name: 'secret\0',
    publicProduct: 'secret',
    componentName: '',
    data: 'secret'
  }).problems
  t.same(
    problems.map(({ code, path }) => [code, ...path]),
    [
      ['OUT_OF_RANGE', 'id'],
      ['OUT_OF_RANGE', 'blockchainId'],
      ['WRONG_TYPE', 'maxItems'],
      ['INVALID_TEXT', 'name'],
      ['WRONG_TYPE', 'publicProduct'],
      ['TOO_SHORT', 'componentName'],
      ['INVALID_JSON', 'data']
    ]
  )
  t.notMatch(JSON.stringify(problems), /secret/)
  t.same(
    validateTemplate({}).problems.map(({ code, path }) => [code, ...path]),
    fieldNames.filter(field => !columns[field].isOptional).map(field => ['REQUIRED', field])
  )
  t.same(validate({ id: 0, maxItems: 2 ** 31 - 1, name: 'n'.repeat(500) }), [])
  t.match(validate({ name: 'n'.repeat(501) }), [{ code: 'TOO_LARGE', path: ['name'] }])
  t.same(validate({ name: '🍏'.repeat(500) }), [], 'a character is a code point, as in JSON Schema')
  t.match(validate({ name: '🍏'.repeat(501) }), [{ message: /at most 500 characters; it has 501$/ }])
  t.match(validate({ data: '"\ud800"' }), [{ code: 'INVALID_TEXT', path: ['data'], pointer: null }])
})

t.test('the size of a document counts bytes', async t => {
  const data = JSON.stringify({ name: 'é', attributes: [] })
  const maxDataSize = Buffer.byteLength(data)
  t.same(validate({ data }, { maxDataSize }), [])
  t.match(validate({ data }, { maxDataSize: maxDataSize - 1 }), [{ code: 'TOO_LARGE', path: ['data'] }])
})

t.test('what is not JSON is reported with line and column', async t => {
  for (const [data, place] of [
    ['', '1, column 1'],
    ['{\n "a": 1,\n}', '3, column 1'],
    ['[1 2]', '1, column 4'],
    ['{} x', '1, column 4'],
    ['[01]', '1, column 3'],
    ['"never ended', '1, column 1'],
    ['\ufeff{}', '1, column 1']
  ] as const)
    t.match(validate({ data }), [{ code: 'INVALID_JSON', message: `line ${place}`, pointer: null }], data)
})

t.test('a key that occurs twice is a problem, also written in another way', async t => {
  t.match(validate({ data: '{"name":"","attributes":[],"x":[{"a/b":1,"a\\u002fb":2}],"name":""}' }), [
    { code: 'DUPLICATE_KEY', pointer: '/x/0/a~1b' },
    { code: 'DUPLICATE_KEY', pointer: '/name' }
  ])
})

t.test('hostile documents have a bounded number of short problems', async t => {
  const size = 260_000
  const filled = (text: string) =>
    Array(Math.floor(size / (text.length + 1)))
      .fill(text)
      .join()
  const key = JSON.stringify('k'.repeat(size / 2))
  for (const [name, data] of Object.entries({
    'wrong entries': `{"name":"","attributes":[${filled('0')}]}`,
    'wrong elements': `{"name":"","attributes":[{"trait_type":"x","value":[${filled('0')}]}]}`,
    'keys that occur twice': `{${filled('"":0')}}`,
    'long keys': `{"name":"","attributes":[],${key}:0,${key}:0}`,
    brackets: '['.repeat(size),
    objects: '{"a":'.repeat(size / 5),
    escapes: `"${'\\n'.repeat(4_000_000)}"`,
    'an open string': `"${'\\n'.repeat(size / 2)}`
  })) {
    const problems = validate({ data }, { maxDataSize: 10_000_000 })
    t.ok(problems.length > 0 && problems.length <= maxProblems, name)
    t.ok(JSON.stringify(problems).length < 50_000, name)
    for (const { code } of problems) t.ok(code in problemCodes)
  }
  const last = validate({ data: `{"name":"","attributes":[${filled('0')}]}` }).at(-1)
  t.same([last?.code, last?.pointer], ['MORE_PROBLEMS', null])
  const long = Array(1000).fill('')
  t.same(problemsOf(withTraits({ trait_type: 'Video', value: [...long, 1] })), [
    ['/attributes/0/value', 'attributes[0].value must be a string (trait Video)'],
    ['/attributes/0/value/1000', 'attributes[0].value[1000] must be a string (trait Video)']
  ])
})

t.test('warn reports what is wrong with the document as warnings, off not at all', async t => {
  const wrong = { maxItems: 0, data: '{' }
  const { problems, warnings } = validateTemplate({ ...good, ...wrong }, { validation: 'warn' })
  t.match([problems, warnings], [[{ path: ['maxItems'] }], [{ code: 'INVALID_JSON' }]])
  const off = validateTemplate({ ...good, ...wrong }, { validation: 'off' })
  t.match([off.problems, off.warnings.length], [[{ path: ['maxItems'] }], 0])
  for (const validation of ['warn', 'off'] as const)
    t.match(validate({ data: '\0' }, { validation }), [{ code: 'INVALID_TEXT' }])
})

/** Documents of which some are right. */
const text = fc.oneof(fc.constantFrom('', '1'), fc.string())
const type = fc.oneof(fc.constantFrom('ProductType', 'UnitsProduced', 'EmailOptional', 'FeaturesArray'), text)
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text), fc.double(), fc.constant(null))
const trait = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ trait_type: fc.constantFrom('ProductType', 'UnitsProduced'), value: text })
  },
  { weight: 1, arbitrary: fc.record({ trait_type: type, value }, { requiredKeys: [] }) }
)
const document = fc.record(
  {
    productId: fc.oneof(fc.constantFrom('', '007', 7), value),
    name: text,
    image: fc.oneof(text, value, anyUrl),
    attributes: fc.array(trait, { maxLength: 3 }),
    more: fc.jsonValue()
  },
  { requiredKeys: ['name', 'attributes'] }
)

t.test('the service accepts what the published schema accepts, and can parse it', async t => {
  const schema = publishedSchema
  const ajv = new Ajv2020({ strictTypes: false, allowUnionTypes: true })
  ajv.addSchema(schema, 'template')
  t.ok(ajv.validateSchema(schema), 'it is a JSON Schema')
  for (const [componentName, name] of [
    ['DefaultProduct', 'template'],
    ['DefaultProduct', 'template#/$defs/Document'],
    ['TrackingRecord', 'template#/$defs/TrackingRecord']
  ] as const) {
    const isValid = ajv.getSchema(name)
    let accepted = 0
    fc.assert(
      fc.property(document, given => {
        const data = JSON.stringify(given)
        const parsed = JSON.parse(data)
        const valid = isValid?.(parsed) as boolean
        if (valid) accepted++
        const attributes = parseDocument(data)?.attributes.length
        return (
          valid === (validate({ data, componentName }).length === 0) &&
          (!valid || attributes === parsed.attributes.length)
        )
      }),
      { numRuns: 250 }
    )
    t.ok(accepted > 10, `${accepted} accepted`)
  }
  for (const definition of Object.values(schema.$defs) as { examples?: unknown[] }[])
    for (const example of definition.examples ?? [])
      t.ok(
        ajv.validate(
          definition === schema.$defs.Value ? { ...definition } : { ...definition, $defs: schema.$defs },
          example
        )
      )
})

t.test('a text is JSON exactly if JSON.parse accepts it', async t => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"a"',
    '""',
    '"\\u00e9"',
    '"\\',
    '"',
    '0',
    '-1.5e3',
    '01',
    '.',
    'null',
    'true',
    ' ',
    '\n',
    '\t',
    'x'
  )
  const texts = fc.oneof(
    fc.array(pieces).map(some => some.join('')),
    fc.json(),
    fc.json().map(json => json.slice(1))
  )
  const isSame = fc.property(texts, text => {
    const problems = new Problems()
    const accepted = checkJson(text, problems)
    const parsed = canParse(text)
    return accepted === parsed && parsed === !problems.list.some(({ code }) => code === 'INVALID_JSON')
  })
  t.doesNotThrow(() => fc.assert(isSame, { numRuns: 1000 }))
})

function canParse(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
