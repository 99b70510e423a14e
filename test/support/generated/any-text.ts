/** Any text and any URL. fast-check's own first list all code points of Unicode, which takes a second. */
import fc from './fast-check.ts'

/** Code units of pairs, which are no code points of their own. */
const surrogates = { first: 0xd800, count: 0x800 }
const lastCodePoint = 0x10ffff

const codePoint = fc.nat({ max: lastCodePoint - surrogates.count }).map(
  index => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  text => {
    const [character, ...more] = [...String(text)]
    const code = character?.codePointAt(0)
    // fast-check asks which texts could have been generated, such as `__proto__`, of which it then generates more.
    if (code === undefined || more.length > 0) throw new Error('not one code point')
    return code < surrogates.first ? code : code - surrogates.count
  }
)

/** Returns texts of any code points, like the unit `binary` of fast-check. */
export const anyText = (constraints: { maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: codePoint })

export const anyUrl: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.oneof(fc.string(), anyText()))
  .map(([scheme, authority, path]) => {
    const encoded = encodeURI(path).replace(/[?#]/g, encodeURIComponent)
    return `${scheme}://${authority}/${encoded}`
  })
