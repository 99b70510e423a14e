// Runs on SQLite only: no database is involved.
/**
 * What people type or paste into the table: amounts and dates in their language are stored as an import stores them.
 */
import { t } from 'tap'
import type { ColumnForm } from '../../../../explorer/table/forms.ts'
import fc from '../../../../test/support/generated/fast-check.ts'
import { seed } from '../../../../test/support/generated/seed.ts'
import { findNotations, findShown, guessForm, readForm, writeForm } from '../../explorer/column-forms.ts'

const languages = ['de-DE', 'en-US', 'fr-FR', 'de-CH', 'en-GB', 'fr-CA', 'de-AT', 'fr-CH', 'en-IN'] as const
const language = fc.constantFrom(...languages)

const money: ColumnForm = { as: 'money', name: 'Price', others: [] }
const date: ColumnForm = { as: 'date', name: 'Since', others: [] }

const toCells = (texts: string[]) => texts.map(text => ({ text }))

/** What a text becomes in a browser of a language. `others` are pasted with it. */
function read(text: string, language: string, form = money, others: string[] = []): unknown {
  const reading = readForm(
    text,
    form,
    'text',
    findShown(form, toCells([text, ...others])),
    findNotations(language)
  )
  return 'value' in reading ? reading.value : `refused: ${reading.problem}`
}

/** Throws an Error that names the text which was read as another value. */
function compare(found: unknown, expected: string | RegExp, text: string): void {
  const isRight = typeof expected === 'string' ? found === expected : expected.test(String(found))
  if (!isRight)
    throw new Error(`${JSON.stringify(text)} was read as ${JSON.stringify(found)}, not as ${expected}`)
}

/** The stored text of a number with up to four decimals. */
const amount = fc
  .record({
    whole: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 5000 }), fc.nat({ max: 2e9 })),
    decimals: fc.oneof(fc.constant(''), fc.stringMatching(/^\d{1,4}$/)),
    isNegative: fc.boolean()
  })
  .map(({ whole, decimals, isNegative }) => {
    const text = `${whole}${decimals && '.'}${decimals}`
    return isNegative && Number(text) !== 0 ? `-${text}` : text
  })

function write(amount: string, language: string, more: Intl.NumberFormatOptions = {}): string {
  const digits = amount.split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat(language, {
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits, ...more }
  })
  return format.format(amount as never)
}

t.test('a typed number is read as the language of the browser writes it', async () => {
  const property = fc.property(amount, language, fc.boolean(), (amount, language, useGrouping) => {
    // Indian languages group by two, which neither notation has.
    fc.pre(language !== 'en-IN' || Math.abs(Number(amount)) < 100_000)
    const text = write(amount, language, { useGrouping })
    compare(read(text, language), amount, text)
  })
  fc.assert(property, { seed, numRuns: 2000 })
})

t.test('a typed amount loses the currency that the name of its trait has', async () => {
  const property = fc.property(
    amount,
    fc.constantFrom('de-DE', 'en-US', 'fr-FR', 'de-CH', 'en-GB', 'fr-CA'),
    fc.constantFrom('EUR', 'CHF', 'GBP', 'USD', 'PLN'),
    fc.constantFrom('code', 'symbol'),
    (amount, language, currency, currencyDisplay) => {
      const text = write(amount, language, { style: 'currency', currency, currencyDisplay })
      const found = read(text, language, { ...money, name: `Price (${currency})` })
      compare(found, amount, text)
      compare(read(text, language, { ...money, name: 'Price (JPY)' }), /^refused: must be in JPY/, text)
      compare(read(text, language), /^refused: is in .+ the trait needs a name with the currency/, text)
    }
  )
  fc.assert(property, { seed, numRuns: 1000 })
})

t.test(
  'a typed measure loses the unit that the name of its trait has, and is refused in another one',
  async t => {
    const property = fc.property(
      amount,
      language,
      fc.constantFrom(['kg', 'kg'], ['g', 'g'], ['l', 'l'], ['L', 'l'], ['%', '%']),
      fc.constantFrom('', ' ', '\u00a0'),
      (amount, language, [written = '', unit = ''], space) => {
        const text = `${write(amount, language, { useGrouping: false })}${space}${written}`
        const form: ColumnForm = { as: 'decimal', name: `Wert (${unit})`, others: [] }
        compare(read(text, language, form), amount, text)
        compare(read(text, language, { ...form, name: 'Wert (cm)' }), /^refused: must be in cm/, text)
      }
    )
    fc.assert(property, { seed, numRuns: 1000 })
    const weight: ColumnForm = { as: 'decimal', name: 'Gewicht (kg)', others: [] }
    t.equal(read('1,2 kg', 'de-DE', weight), '1.2')
    t.equal(read('1,2 KG', 'de-DE', weight), '1.2')
    t.match(read('12KG', 'de-DE', weight), /^refused: must be a number/, 'it may be a code')
    t.equal(read('1,2', 'en-US', weight), '1.2')
    t.equal(read('1.234 kg', 'de-DE', weight), '1234')
    t.match(read('500 g', 'de-DE', weight), /^refused: must be in kg.*is in g/)
    t.equal(writeForm('1.2', weight, findNotations('de-DE')), '1,2')
  }
)

t.test('pasted numbers are read as the others of their column show, in any browser', async () => {
  const property = fc.property(
    fc.array(amount, { minLength: 1, maxLength: 8 }),
    fc.nat({ max: 99 }),
    fc.constantFrom('de-DE', 'en-US', 'fr-FR', 'de-CH', 'en-GB'),
    language,
    (amounts, cents, written, browser) => {
      // Only one notation has two decimals.
      const all = [...amounts, `5.${String(cents).padStart(2, '0')}`]
      const texts = all.map(amount => write(amount, written))
      for (const [at, text] of texts.entries())
        compare(read(text, browser, money, texts), all[at] as string, `${text} of ${texts}`)
    }
  )
  fc.assert(property, { seed, numRuns: 1000 })
})

t.test('a typed date becomes ISO 8601, and a day that is not in the calendar is refused', async t => {
  const day = fc.date({
    min: new Date('1900-01-01'),
    max: new Date('2100-12-31'),
    noInvalidDate: true
  })
  const form = fc.constantFrom<Intl.DateTimeFormatOptions>(
    { day: 'numeric', month: 'numeric' },
    { day: '2-digit', month: '2-digit' }
  )
  const property = fc.property(day, language, form, (day, language, form) => {
    const format = new Intl.DateTimeFormat(language, { ...form, year: 'numeric', timeZone: 'UTC' })
    const text = format.format(day)
    compare(read(text, language, date), day.toISOString().slice(0, 10), text)
  })
  fc.assert(property, { seed, numRuns: 1000 })
  for (const language of languages)
    for (const wrong of ['31.02.2026', '2026-02-29', '31/04/2026', '4/31/2026', '0.1.2026', '32.1.2026'])
      t.equal(read(wrong, language, date), 'refused: is a day that does not exist', wrong)
  t.equal(read('03/04/2026', 'en-US', date), '2026-03-04')
  t.equal(read('03/04/2026', 'en-GB', date), '2026-04-03')
  t.equal(read('03/04/2026', 'en-US', date, ['31/12/2026']), '2026-04-03')
  for (const wrong of [
    'soon',
    '12',
    '1.2',
    '2026',
    '١٫٢',
    '31.12.26',
    '3.14159',
    '1.22026',
    '1/2.2026',
    '31/12. 2026',
    '31-12.2026'
  ])
    t.match(read(wrong, 'de-DE', date), /^refused: must be a date/, wrong)
})

t.test('what has two meanings is read by the language, as number fields do', async t => {
  for (const [text, english, german, french] of [
    ['1.234', '1.234', '1234', '1.234'],
    ['1,234', '1234', '1.234', '1.234'],
    ['1.234,50', '1234.50', '1234.50', '1234.50'],
    ['1,234.50', '1234.50', '1234.50', '1234.50'],
    ['19,90', '19.90', '19.90', '19.90'],
    ['1\u00a0234,50', '1234.50', '1234.50', '1234.50'],
    ['1\u202f234,50', '1234.50', '1234.50', '1234.50'],
    ["1'234.50", '1234.50', '1234.50', '1234.50'],
    ['\u22125', '-5', '-5', '-5'],
    ['\u200e-19,90\u00a0', '-19.90', '-19.90', '-19.90'],
    ["'19,90", '19.90', '19.90', '19.90'],
    [',5', '0.5', '0.5', '0.5'],
    [
      '12345678901234567890.10',
      '12345678901234567890.10',
      '12345678901234567890.10',
      '12345678901234567890.10'
    ]
  ] as const) {
    t.equal(read(text, 'en-US'), english, `${text} in English`)
    t.equal(read(text, 'de-DE'), german, `${text} in German`)
    t.equal(read(text, 'fr-FR'), french, `${text} in French`)
  }
  for (const text of [
    '+5',
    '1e3',
    '5-',
    '(5)',
    '1.2.3',
    '1,23,4',
    '٣٫٥',
    '１２',
    '5 %',
    '#N/A',
    '=1+1',
    'soon'
  ])
    t.equal(read(text, 'de-DE'), 'refused: must be a number', text)
  t.equal(read('1O,50', 'de-DE'), 'refused: must be a number, but has the letter O')
  for (const text of ['007', '0901.21', ' 00,5', "'00123", '\u200b00123', '-00123', '\u2212007,50'])
    t.equal(read(text, 'de-DE'), 'refused: must be a number without zeros in front', text)
  t.equal(read('0,05', 'de-DE'), '0.05')
  t.equal(read('1'.repeat(401), 'de-DE'), 'refused: must be a number')
  // In the time of its square, this would never end.
  t.equal(read(`1${' '.repeat(4_000_000)}x`, 'de-DE'), 'refused: must be a number')
})

t.test('what the table writes for other programs is read as the same', async t => {
  const property = fc.property(amount, language, (amount, language) => {
    const text = writeForm(amount, money, findNotations(language))
    compare(read(text, language), amount, text)
  })
  fc.assert(property, { seed, numRuns: 1000 })
  t.equal(writeForm('1,234', money, findNotations('de-DE')), '1,234', 'which has two meanings')
  t.equal(writeForm('2026-12-31', date, findNotations('de-DE')), '2026-12-31')
  t.equal(writeForm('on request', money, findNotations('de-DE')), 'on request')
})

t.test('older texts of other notations do not change what is copied with them', async () => {
  const older = fc
    .record({ amount, cents: fc.nat({ max: 99 }), language: fc.constantFrom('de-DE', 'en-US', 'de-CH') })
    .map(({ amount, cents, language }) => {
      const [whole] = amount.split('.')
      return write(`${whole}.${String(cents).padStart(2, '0')}`, language)
    })
  const refused = fc.constantFrom('$7.00', '5,00 $', '007,50', '008.50', 'on request')
  const property = fc.property(
    fc.array(amount).map(amounts => ['1.100', ...amounts]),
    fc.array(fc.oneof(older, refused), { maxLength: 3 }),
    language,
    (amounts, others, browser) => {
      const copied = [...amounts, ...others].map(text => writeForm(text, money, findNotations(browser)))
      for (const [at, amount] of amounts.entries())
        compare(read(copied[at] as string, browser, money, copied), amount, `${amount} of ${copied}`)
    }
  )
  fc.assert(property, { seed, numRuns: 1000 })
})

const toDigits = (text: string): string => text.replaceAll(/\D/g, '').replace(/^0+/, '')

t.test('of any text, a number has all digits or none', async () => {
  const property = fc.property(
    language,
    fc.string({ unit: fc.constantFrom(..."0123456789.,'- \u202f\u2212€"), maxLength: 12 }),
    (language, text) => {
      const found = String(read(text, language, { ...money, name: 'Price EUR' }))
      if (found.startsWith('refused: ')) return
      compare(found, /^-?(0|[1-9]\d*)(\.\d+)?$/, text)
      compare(toDigits(found), toDigits(text), text)
      compare(String(found.startsWith('-')), String(/[-\u2212](?=.*\d)/.test(text)), text)
    }
  )
  fc.assert(property, { seed, numRuns: 5000 })
})

t.test('a column with numbers, dates or links has a form; any other takes any text', async t => {
  const formOf = (name: string, texts: string[], isPrice = false) => guessForm(name, texts, isPrice)?.as
  t.equal(formOf('Price', ['1.5', '20', '2.25'], true), 'money')
  t.equal(formOf('Price', ['20', '25'], true), 'money')
  t.equal(formOf('Price EUR', ['20', '25']), 'money')
  t.equal(formOf('Price EUR', ['20', '25,00 €']), 'money')
  t.equal(formOf('Weight (kg)', ['1.2', '20']), 'decimal')
  t.equal(formOf('Weight in g', ['500', '250']), 'decimal')
  t.equal(formOf('Since', ['2026-01-31', '31.01.2026']), 'date')
  t.equal(formOf('Photo', ['https://example.com/1.jpg']), 'link')
  for (const texts of [
    ['00123', '00456'],
    ['00123', '1.50'],
    ['4006381333931', '80331'],
    ['19,90 €', '20,00 €'],
    ['38', '40.5', 'XL'],
    ['1.2.3', '1.10'],
    ['1.10', '1.9', '2.0'],
    ['555 123', '555 124'],
    ['Norway'],
    ['true', 'false'],
    []
  ])
    t.equal(formOf('Any', texts), undefined, texts.join())
  t.equal(formOf('Price unit', ['100 g', '1 kg', '1 l'], true), undefined, 'a measure is no price')
  const priced = guessForm(
    'Price',
    ['on request', ...Array.from({ length: 12 }, (_, at) => `${at}.50`)],
    true
  )
  t.same(priced?.others, ['on request'])
  t.equal(read('on request', 'de-DE', priced), 'on request')
  t.equal(read('soon', 'de-DE', priced), 'refused: must be a number')
})

t.test('a whole number stays one, and gets decimals as a text', async t => {
  const readNumber = (text: string) => readForm(text, money, 'number', undefined, findNotations('de-DE'))
  t.same(readNumber('1.234'), { value: 1234 })
  t.same(readNumber('19,90'), { value: '19.90' })
  t.same(readNumber('9007199254740993'), { value: '9007199254740993' }, 'no digit is lost')
})
