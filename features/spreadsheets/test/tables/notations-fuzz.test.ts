// Runs on SQLite only: no database is involved.
/** Numbers, amounts of money and dates as languages write them: each is read as it was written, or is a problem. */
import { writeXlsx } from 'hucre/xlsx'
import { t } from 'tap'
import fc from '../../../../test/support/generated/fast-check.ts'
import { csv, xlsx } from '../../formats.ts'
import type { Notation } from '../../notations/normalize.ts'
import { guessMapping } from '../../tables/guess.ts'
import type { Mapping } from '../../tables/mapping.ts'
import { openTable, type TableRow } from '../../tables/table.ts'

const runs = 150 * Number(process.env.SECONDS ?? 1)
const title = 'Wert'

/** What a table of one column becomes: the trait of each row, or its problem. */
async function readColumn(bytes: Uint8Array, format = csv, notation?: Notation) {
  async function* input() {
    yield bytes
  }
  const table = await openTable(format.rows(input(), {}))
  const rows: TableRow[] = []
  for await (const row of table.rows) rows.push(row)
  const mapping: Mapping = guessMapping(table.names, rows, [])
  const target = mapping.columns[title]
  if (target && notation) target.notation = notation
  const found: { trait: string; value?: unknown; problem?: string }[] = []
  for await (const { values, problems } of format.read(input(), { mapping, find: async () => [] })) {
    const { data = '{}' } = values as { data?: string }
    const [{ trait_type: trait = '', value } = {} as never] = JSON.parse(data).attributes
    found.push({ trait, value, ...(problems?.[0] && { problem: problems[0].message }) })
  }
  return { as: target?.as, found }
}

const toCsv = (cells: string[]): Uint8Array =>
  Buffer.from([`Name;${title}`, ...cells.map((cell, at) => `n${at};"${cell}"`)].join('\n'))

const languages = ['de-DE', 'en-US', 'fr-FR', 'de-CH', 'en-GB', 'fr-CA'] as const
const language = fc.constantFrom(...languages)
const notationOf = (language: string): Notation =>
  new Intl.NumberFormat(language).format(0.5).includes(',') ? '1.234,5' : '1,234.5'

/** A number by its digits, so that it has the same decimals in each notation. */
const number = fc
  .record({
    whole: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 5000 }), fc.nat({ max: 2e9 })),
    decimals: fc.oneof(
      fc.constant(''),
      fc.nat({ max: 99 }).map(cents => String(cents).padStart(2, '0')),
      fc.nat({ max: 999 }).map(part => String(part).padStart(3, '0'))
    ),
    isNegative: fc.boolean()
  })
  .map(({ whole, decimals, isNegative }) => {
    const text = `${whole}${decimals && '.'}${decimals}`
    return { text: isNegative && Number(text) !== 0 ? `-${text}` : text, digits: decimals.length }
  })
type Written = { text: string; digits: number }

const write = ({ text, digits }: Written, language: string, more: Intl.NumberFormatOptions = {}): string =>
  new Intl.NumberFormat(language, {
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits, ...more }
  }).format(Number(text))

/** Whether a cell shows the notation of its column: no other number has two decimals behind one sign. */
const isClear = ({ digits }: Written): boolean => digits === 2

type Found = Awaited<ReturnType<typeof readColumn>>['found'][number]

/** Throws an Error that names the cells which were read as another value, or were refused without need. */
function compare(cells: string[], found: Found[], expected: string[], mayBeUnclear: boolean): void {
  const isRight = ({ value, problem }: Found, at: number) =>
    problem === undefined ? String(value) === expected[at] : mayBeUnclear && /has two meanings/.test(problem)
  const wrong = found.filter((cell, at) => !isRight(cell, at))
  if (wrong.length > 0 || found.length !== cells.length)
    throw new Error(`${JSON.stringify(cells)} were read as ${JSON.stringify(found)}`)
}

const columnOf = <T>(cells: fc.Arbitrary<T>) => fc.array(cells, { minLength: 1, maxLength: 12 })

t.test('a number is read as it was written, or has two meanings', async () => {
  const property = fc.asyncProperty(
    columnOf(number),
    language,
    fc.boolean(),
    async (numbers, language, useGrouping) => {
      const cells = numbers.map(number => write(number, language, { useGrouping }))
      const expected = numbers.map(({ text }) => text)
      const { as, found } = await readColumn(toCsv(cells))
      compare(cells, found, expected, !numbers.some(isClear))
      const given = await readColumn(toCsv(cells), csv, notationOf(language))
      if (as === 'decimal') compare(cells, given.found, expected, false)
    }
  )
  await fc.assert(property, { numRuns: runs })
})

t.test('an amount of money is read as its number, and the trait has the currency', async () => {
  const currency = fc.constantFrom('EUR', 'CHF', 'GBP', 'USD', 'PLN')
  const display = fc.constantFrom('code', 'symbol', 'narrowSymbol')
  const property = fc.asyncProperty(
    columnOf(number),
    language,
    currency,
    display,
    async (numbers, language, currency, currencyDisplay) => {
      const style = { style: 'currency', currency, currencyDisplay } as const
      const cells = numbers.map(number => write(number, language, style))
      const { as, found } = await readColumn(toCsv(cells))
      const expected = numbers.map(({ text }) => text)
      compare(cells, found, expected, !numbers.some(isClear))
      return as === 'money' && found.every(({ trait, problem }) => problem || /^Wert \(.+\)$/.test(trait))
    }
  )
  await fc.assert(property, { numRuns: runs })
})

t.test('a measure is read as its number, and the trait has the unit', async () => {
  const property = fc.asyncProperty(
    columnOf(number),
    language,
    fc.constantFrom('kg', 'g', 'cm', 'l', 'm²', '%'),
    fc.constantFrom('', ' ', '\u00a0'),
    async (numbers, language, unit, space) => {
      const cells = numbers.map(number => `${write(number, language)}${space}${unit}`)
      const { as, found } = await readColumn(toCsv(cells))
      const expected = numbers.map(({ text }) => text)
      compare(cells, found, expected, !numbers.some(isClear))
      return as === 'decimal' && found.every(({ trait, problem }) => problem || trait === `Wert (${unit})`)
    }
  )
  await fc.assert(property, { numRuns: runs })
})

t.test('a measure in another unit than its trait is a problem', async t => {
  const { found } = await readColumn(
    toCsv(['1,20 kg', '900 g', '1,5', '2,50 kg', ...Array(30).fill('3,10 kg')])
  )
  t.match(found[1], { problem: /must be in kg.*is in g/ })
  t.match(found[2], { problem: /has no unit: write 1,5 kg, if it is in kg/ })
  t.match([found[0], found[3]], [{ value: '1.20' }, { value: '2.50' }])
})

t.test('a date is read as it was written, has two meanings, or is not in the calendar', async () => {
  const year = fc.integer({ min: 1900, max: 2100 })
  const month = fc.integer({ min: 1, max: 12 })
  const day = fc.integer({ min: 1, max: 31 })
  const written = fc
    .tuple(year, month, day)
    .filter(([year, month, day]) => day <= new Date(Date.UTC(year, month, 0)).getUTCDate())
  const form = fc.constantFrom<Intl.DateTimeFormatOptions>(
    { day: 'numeric', month: 'numeric' },
    { day: '2-digit', month: '2-digit' }
  )
  const property = fc.asyncProperty(
    columnOf(written),
    fc.constantFrom('de-DE', 'en-US', 'fr-FR', 'en-GB'),
    form,
    async (days, language, form) => {
      const format = new Intl.DateTimeFormat(language, { ...form, year: 'numeric', timeZone: 'UTC' })
      const cells = days.map(([year, month, day]) => format.format(Date.UTC(year, month - 1, day)))
      const { as, found } = await readColumn(toCsv(cells))
      const expected = days.map(parts => parts.map(part => String(part).padStart(2, '0')).join('-'))
      const hasSlash = cells.some(cell => cell.includes('/'))
      compare(cells, found, expected, hasSlash && !days.some(([, , day]) => day > 12))
      return as === 'date'
    }
  )
  await fc.assert(property, { numRuns: runs })
})

t.test('a day that is not in the calendar is a problem in each form', async t => {
  for (const wrong of ['31.02.2026', '2026-02-29', '31/04/2026', '4/31/2026', '31-6-2026']) {
    const { found } = await readColumn(toCsv(['31.12.2026', wrong, ...Array(10).fill('1.12.2026')]))
    t.match(found[1], { problem: /is a day that does not exist/ }, wrong)
  }
})

t.test('what is nearly a number, a date or a currency stays a text', async t => {
  for (const cells of [
    ['12 XYZ', '5 XYZ'],
    ['00123', '00456'],
    ['1.2.34', '1.2.35'],
    ['12:30', '1/2'],
    ['2026']
  ])
    t.match(await readColumn(toCsv(cells)), { found: cells.map(value => ({ value })) }, cells[0] as string)
  const { found } = await readColumn(
    toCsv([
      '5,00 €',
      '6,00 €',
      '$7.00',
      '8,00',
      '9',
      '1O,00 €',
      "'00123",
      '-00123',
      ...Array(30).fill('1,50 €')
    ])
  )
  t.match(found[2], { problem: /must be in EUR.*is in \$/ })
  t.match(found[3], { trait: 'Wert (EUR)', value: '8.00' })
  t.match(found[5], { problem: /must be a number, but has the letter O/ })
  for (const code of found.slice(6, 8)) t.match(code, { problem: /must be a number without zeros in front/ })
})

t.test('a link is a problem if it is none, in a column of links', async t => {
  const links = Array.from({ length: 12 }, (_, at) => `https://example.com/${at}`)
  for (const [cells, kind] of [
    [links, 'link'],
    [links.map(link => `${link}.jpg`), 'picture']
  ] as const) {
    const { as, found } = await readColumn(toCsv([...cells, 'soon']))
    t.equal(as, kind)
    t.match(found.at(0), { value: cells[0] })
    t.match(found.at(-1), { problem: /must be a link/ })
  }
  t.match(await readColumn(toCsv([...links.slice(0, 5), 'soon'])), { as: 'text' })
})

t.test('the numbers of a workbook are read, whatever the notation of their column', async () => {
  const notation = fc.constantFrom<Notation | undefined>('1.234,5', '1,234.5', undefined)
  await fc.assert(
    fc.asyncProperty(
      fc.array(number, { minLength: 1, maxLength: 12 }),
      notation,
      async (numbers, notation) => {
        const rows = [['Name', title], ...numbers.map(({ text }, at) => [`n${at}`, Number(text)])]
        const bytes = await writeXlsx({ sheets: [{ name: 'x', rows: rows as never }] })
        const { found } = await readColumn(bytes, xlsx, notation)
        const cells = numbers.map(({ text }) => String(Number(text)))
        compare(cells, found, cells, false)
      }
    ),
    { numRuns: runs / 10 }
  )
})
