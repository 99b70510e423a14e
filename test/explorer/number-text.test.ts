// Runs on SQLite only: no database is involved.
/** How the page reads typed numbers: in the user's notation, and exactly or not at all. */
import { t } from 'tap'
import { findNotation, readNumber, writeNumber } from '../../explorer/numbers/number-text.ts'
import fc from '../support/generated/fast-check.ts'
import { seed } from '../support/generated/seed.ts'

const languages = ['en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'es-ES', 'pt-BR', 'sv-SE', 'ar-EG', 'ja-JP']
const read = (text: string, language = 'en-US') => {
  const reading = readNumber(text, findNotation(language))
  return 'number' in reading ? reading.number : reading.problem
}

/** The digits without zeros at both ends, and the power of ten of the last: equal for equal numbers only. */
function exact(whole: string, decimals: string): string {
  const digits = BigInt(whole + decimals)
  if (digits === 0n) return '0'
  const [, kept = '', zeros = ''] = String(digits).match(/^(.*?)(0*)$/) ?? []
  return `${kept} ${zeros.length - decimals.length}`
}

/** The same for a JavaScript number, whose text is the shortest that is read as this number. */
function exactNumber(number: number): string {
  const [, whole = '', decimals = '', exponent = '0'] =
    String(Math.abs(number)).match(/^(\d+)\.?(\d*)(?:e([+-]\d+))?$/) ?? []
  const [digits = '', power = ''] = exact(whole, decimals).split(' ')
  return digits === '0' ? '0' : `${digits} ${Number(power) + Number(exponent)}`
}

t.test('a number is read as people of each language write it', async t => {
  for (const [text, english, german, french] of [
    ['1.05', 1.05, 1.05, 1.05],
    ['1,05', 1.05, 1.05, 1.05],
    ['1.005', 1.005, 1005, 1.005],
    ['1,005', 1005, 1.005, 1.005],
    ['0.005', 0.005, 0.005, 0.005],
    ['0,005', 0.005, 0.005, 0.005],
    ['-0.5', -0.5, -0.5, -0.5],
    ['\u22120,5', -0.5, -0.5, -0.5],
    ['- 5', -5, -5, -5],
    ['+5', 5, 5, 5],
    ['-0', 0, 0, 0],
    ['1.234,5', 1234.5, 1234.5, 1234.5],
    ['1,234.5', 1234.5, 1234.5, 1234.5],
    ['1.234.567', 1234567, 1234567, 1234567],
    ['1,234,567', 1234567, 1234567, 1234567],
    ['1\u202f234\u202f567,8', 1234567.8, 1234567.8, 1234567.8],
    ['1\u00a0234', 1234, 1234, 1234],
    ["1'234", 1234, 1234, 1234],
    ['1\u2019234.5', 1234.5, 1234.5, 1234.5],
    ['\uff11\uff12\uff0e\uff15', 12.5, 12.5, 12.5],
    ['1.', 1, 1, 1],
    ['1,', 1, 1, 1],
    ['.5', 0.5, 0.5, 0.5],
    [',5', 0.5, 0.5, 0.5],
    ['1e3', 1000, 1000, 1000],
    ['1,5E-2', 0.015, 0.015, 0.015],
    ['007', 7, 7, 7],
    [' 12.30 ', 12.3, 12.3, 12.3],
    ['9007199254740991', 9007199254740991, 9007199254740991, 9007199254740991]
  ] as const) {
    t.equal(read(text, 'en-US'), english, `${text} in English`)
    t.equal(read(text, 'de-DE'), german, `${text} in German`)
    t.equal(read(text, 'fr-FR'), french, `${text} in French`)
  }
})

t.test('what is no number, or one that is not stored exactly, has a reason', async t => {
  const others = [
    '',
    ' ',
    '-',
    '.',
    ',',
    '-.',
    'e3',
    '1e',
    '1e1.5',
    'x',
    '12x',
    '0x10',
    '1_000',
    'NaN',
    'Infinity'
  ]
  const grouped = [
    '1,2,3',
    '1,23,4',
    '12 34',
    '1.2.3',
    '1.234,567.8',
    '1,234,5',
    '0 123',
    "1'2",
    '1  234',
    '--1'
  ]
  for (const text of [...others, ...grouped, '5-', '(5)', '5 %', '10²', '½', '1'.repeat(500)])
    t.equal(read(text), 'must be a number', text.slice(0, 20))
  for (const text of ['9007199254740993', '0.12345678901234567891', '1e-400'])
    t.equal(read(text), 'has more digits than a number can keep', text)
  t.equal(read('1e400'), 'is too large')
})

const digits = fc.stringMatching(/^\d{1,25}$/)

t.test('any decimal in any language is read exactly, or not at all', async () => {
  const property = fc.property(
    fc.constantFrom(...languages),
    fc.boolean(),
    fc.boolean(),
    digits,
    fc.option(digits, { nil: '' }),
    (language, isNegative, useGrouping, whole, decimals) => {
      const format = new Intl.NumberFormat(language, {
        numberingSystem: 'latn',
        useGrouping,
        minimumFractionDigits: decimals.length,
        maximumFractionDigits: decimals.length
      })
      // Intl formats a text exactly, as no number could be.
      const text = format.format(`${isNegative ? '-' : ''}${whole}.${decimals || 0}` as never)
      const found = read(text, language)
      const nearest = Number(`${whole}.${decimals}`)
      const isExact = exactNumber(nearest) === exact(whole, decimals)
      return (
        found ===
        (isExact ? (isNegative && nearest ? -nearest : nearest) : 'has more digits than a number can keep')
      )
    }
  )
  fc.assert(property, { seed, numRuns: 3000 })
})

t.test('a number that the page writes is read as the same one', async () => {
  const property = fc.property(
    fc.constantFrom(...languages),
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
    (language, number) => Object.is(read(writeNumber(number, findNotation(language)), language), number + 0)
  )
  fc.assert(property, { seed, numRuns: 3000 })
})

t.test('of any text, a number has all digits or none', async () => {
  const property = fc.property(
    fc.constantFrom(...languages),
    fc.string({ unit: fc.constantFrom(..."0123456789.,'- \u202f\u2212"), maxLength: 12 }),
    (language, text) => {
      const found = read(text, language)
      if (typeof found !== 'number') return true
      const [, typed] = text.replaceAll(/\D/g, '').match(/^0*(.*?)0*$/) ?? []
      const [, kept] =
        exactNumber(found)
          .replace(/ .*/, '')
          .match(/^0*(.*?)0*$/) ?? []
      return typed === kept && found < 0 === (found !== 0 && /[-\u2212]/.test(text))
    }
  )
  fc.assert(property, { seed, numRuns: 10_000 })
})
