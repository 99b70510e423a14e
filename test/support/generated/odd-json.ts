/** Generates unusual but valid JSON. */
import { anyText } from './any-text.ts'
import fc from './fast-check.ts'

/** Texts with special characters of JSON, CSV and links, and any other texts. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...'"\\,;:{}[]=+-@\'\t\r\n x7é😀'), { maxLength: 6 }).map(some => some.join('')),
  fc.constantFrom(
    '',
    '7',
    '-0',
    'true',
    'null',
    '{}',
    '__proto__',
    'constructor',
    'ipfs://Qm/a',
    'ipfs://',
    'ipfs://Qm/../a'
  ),
  anyText()
)

/** The text of a string: as JSON.stringify writes it, or with all characters escaped. */
const stringText = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.boolean()).map(([text, isEscaped]) => {
    const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    return isEscaped ? `"${text.split('').map(escapeUnit).join('')}"` : JSON.stringify(text)
  })

const space = fc.constantFrom('', ' ', '\n\t', '\r\n')
const inSpace = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map(parts => parts.join(''))
const list = (items: fc.Arbitrary<string>) =>
  fc.array(inSpace(items), { maxLength: 4 }).map(some => `[${some}]`)
const object = (members: fc.Arbitrary<[key: string, value: string]>) =>
  fc.array(members, { maxLength: 6 }).map(some => `{${some.map(([key, value]) => `${key}:${value}`)}}`)
const nested = (depth: number) => `${'['.repeat(depth)}${'{"a":"]"}'}${']'.repeat(depth)}`

const scalar = fc.oneof(
  stringText(oddText),
  fc.constantFrom(
    '0',
    '-0',
    '7',
    '1.50',
    '1e999',
    '-1E-5',
    '12345678901234567890',
    'true',
    'false',
    'null',
    '"\\ud800"'
  ),
  fc.integer().map(String)
)

/** The text of any value, nested up to a depth. */
const valueText = (depth: number): fc.Arbitrary<string> =>
  fc.letrec<{ value: string }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      list(stringText(oddText)),
      list(tie('value')),
      object(fc.tuple(inSpace(stringText(oddText)), tie('value'))),
      fc.constant(nested(depth))
    )
  })).value

const documentKeys = ['name', 'description', 'image', 'external_url', 'productId', 'component', 'attributes']

/** The text of a document, mostly an object whose keys may occur twice. `depth` limits the nesting. */
export function oddDocument(depth: number): fc.Arbitrary<string> {
  const value = valueText(depth)
  const key = (...names: string[]) =>
    inSpace(stringText(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, oddText)))
  const member = (names: string[], value: fc.Arbitrary<string>) => fc.tuple(key(...names), inSpace(value))
  const entry = fc.oneof({ weight: 5, arbitrary: object(member(['trait_type', 'value'], value)) }, value)
  const trait = fc
    .tuple(stringText(oddText), value)
    .map(([type, value]) => `{"trait_type":${type},"value":${value}}`)
  const attributes = fc.tuple(key('attributes'), list(fc.oneof(trait, entry)))
  const whole = object(fc.oneof(member(documentKeys, value), attributes))
  return fc.oneof({ weight: 9, arbitrary: inSpace(whole) }, value)
}
