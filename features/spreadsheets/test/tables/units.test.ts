// Runs on SQLite only: no database is involved.
/** Numbers with units: a number is stored with the unit that it was written in, or is a problem. */
import { t } from 'tap'
import { writeSkipped } from '../../explorer/rows/write-rows.ts'
import { csv, xlsx } from '../../formats.ts'
import { guessMapping } from '../../tables/guess.ts'
import type { ColumnTarget } from '../../tables/mapping.ts'
import { openTable, type TableRow } from '../../tables/table.ts'
import { makeParts, zip } from './xlsx/workbook.ts'

/** Imports a table whose second column is not the name, with the guessed mapping, or with parts of another one. */
async function importTable(
  bytes: Uint8Array,
  format = csv,
  traits: string[] = [],
  other: Partial<ColumnTarget> = {}
) {
  async function* input() {
    yield bytes
  }
  const table = await openTable(format.rows(input(), {}))
  const rows: TableRow[] = []
  for await (const row of table.rows) rows.push(row)
  const mapping = guessMapping(table.names, rows, traits)
  Object.assign(mapping.columns[table.names[1] as string] ?? {}, other)
  const found: unknown[] = []
  for await (const { values, problems = [] } of format.read(input(), { mapping, find: async () => [] })) {
    const { attributes = [] } = JSON.parse((values as { data?: string }).data ?? '{}')
    found.push(problems[0]?.message ?? attributes[0]?.value)
  }
  return { target: mapping.columns[table.names[1] as string], found, table, rows, mapping }
}

const toCsv = (title: string, cells: string[]): Uint8Array =>
  Buffer.from([`Name;${title}`, ...cells.map((cell, at) => `n${at};${cell}`)].join('\n'))

const text = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`

/** A workbook. Each cell is a number and the place of its format. */
function toWorkbook(title: string, formats: string[], cells: [number: number, style: number][], end = '') {
  const rows = cells.map(
    ([number, style], at) =>
      `<row r="${at + 2}">${text(`n${at}`)}<c r="B${at + 2}" s="${style}">${Number.isNaN(number) ? '' : `<v>${number}</v>`}</c></row>`
  )
  const xml = `<row r="1">${text('Name')}${text(title)}</row>${rows.join('')}`
  return zip(makeParts([{ name: 'S', xml, end }], { formats }))
}

t.test('a name with a unit keeps it, if some cells have none', async t => {
  const { target, found } = await importTable(toCsv('Gewicht (g)', ['500', '600', '1 kg', '2 kg', '3 kg']))
  t.match(target, { to: /^trait:Gewicht \(g\)$/, as: 'decimal' })
  t.same(found.slice(0, 2), ['500', '600'])
  t.match(found[2], /must be in g.*is in kg/)
})

t.test('a unit is the same in another case, if that means no other one', async t => {
  for (const [cells, unit] of [
    [['5 l', '0,7 L', '12L'], 'l'],
    [['1 kg', '2 KG', '3 Kg'], 'kg'],
    [['1,5 LBS', '2 lb', '3 lbs'], 'lb'],
    [['500 ML', '7 ml'], 'ml'],
    [['5 KWH', '7 kWh'], 'kWh']
  ] as [string[], string][]) {
    const { target, found } = await importTable(toCsv('Wert', cells))
    t.match(target, { to: `trait:Wert (${unit})`, as: 'decimal' })
    t.same(
      found,
      cells.map(cell => /[\d,]+/.exec(cell)?.[0].replace(',', '.'))
    )
  }
  for (const cells of [
    ['75G', '80H'],
    ['3T', '4T'],
    ['5 DM', '7 DM'],
    ['900 Ft', '20 Ft'],
    ['400 Mg', '5 Mg'],
    ['1 K', '2 K'],
    ['100123MM', '100124MM'],
    ['10IN', '12IN'],
    ['500LM', '1000LM']
  ])
    t.match(await importTable(toCsv('Wert', cells)), {
      target: { to: 'trait:Wert', as: 'text' },
      found: cells
    })
  const named = await importTable(toCsv('Gewicht (KG)', ['1,5 kg', '2']), csv, [])
  t.match(named, { target: { to: 'trait:Gewicht (KG)' }, found: ['1.5', '2'] })
  t.notOk(named.target?.needsUnit)
  for (const title of ['Check In', 'Stock Min'])
    t.match(await importTable(toCsv(title, ['5', '7'])), { target: { as: 'number' }, found: [5, 7] }, title)
})

t.test('a number of a column in one unit is none in the unit of the trait', async t => {
  for (const [title, to, as] of [
    ['Gewicht in g', 'trait:Gewicht (kg)', 'decimal'],
    ['Gewicht in g', 'trait:Gewicht (kg)', 'number'],
    ['Preis (USD)', 'trait:Preis (EUR)', 'money']
  ] as const) {
    const { found } = await importTable(toCsv(title, ['500', '600']), csv, [], { to, as })
    t.match(found, [/has no unit: write 500 (kg|EUR), if it is in/, /has no unit/])
  }
  const same = { to: 'trait:Preis (USD)', as: 'money' } as const
  t.same((await importTable(toCsv('Price $', ['5', '6']), csv, [], same)).found, ['5', '6'])
})

t.test('a number without a unit has that of no other cell, and of no stored trait', async t => {
  const mixed = toCsv('Gewicht', ['500', '1,2 kg', '2 KG', '0,5 kg'])
  const unclear = /^has no unit: write 500 kg, if it is in kg$/
  t.match((await importTable(mixed)).found, [unclear, /^1\.2$/, /^2$/, /^0\.5$/])
  const whole = await importTable(toCsv('Gewicht', ['500', '250']), csv, ['Gewicht (KG)'])
  t.match(whole, { target: { to: 'trait:Gewicht (KG)', as: 'decimal' }, found: [unclear, /has no unit/] })
  const number = { as: 'number' as const }
  const asWhole = await importTable(toCsv('Gewicht', ['500', '7 kg', '8 g']), csv, ['Gewicht (kg)'], number)
  t.match(asWhole.found, [unclear, 7, /must be a whole number/])
  const chosen = await importTable(mixed, csv, [], { needsUnit: false })
  t.same(chosen.found, ['500', '1.2', '2', '0.5'], 'unless the mapping says so')
})

t.test('a remembered mapping that is older than the question for units asks, too', async t => {
  const target = { to: 'trait:Gewicht (kg)', as: 'decimal' }
  const text = JSON.stringify({ columns: { Gewicht: target, Masse: { ...target, needsUnit: false } } })
  Object.defineProperty(globalThis, 'location', { value: { pathname: '/' }, configurable: true })
  Object.defineProperty(globalThis, 'localStorage', { value: { getItem: () => text }, configurable: true })
  const { recallMapping } = await import('../../explorer/columns/remembered-mapping.ts')
  t.match(recallMapping([])?.columns, { Gewicht: { needsUnit: true }, Masse: { needsUnit: false } })
})

t.test('a format with conditions has the unit of its section', async t => {
  const weights: [number, number][] = [1500, 500, 2500].map(weight => [weight, 1])
  const { found } = await importTable(toWorkbook('Masse', ['[>=1000]0" kg";0" g"'], weights), xlsx)
  t.match(found, [/^1500$/, /must be in kg.*is in g/, /^2500$/])
})

t.test('a sign of several currencies is that of the name', async t => {
  const prices = ['$1,234.50', '$5.00', '7']
  const named = await importTable(toCsv('Price (CAD)', prices))
  t.match(named, { target: { to: /^trait:Price \(CAD\)$/ }, found: ['1234.50', '5.00', '7'] })
  t.match(await importTable(toCsv('Price', prices)), { target: { to: /^trait:Price \(\$\)$/ } })
  const other = await importTable(toCsv('Price (EUR)', prices))
  t.match(other.found[0], /must be in EUR.*is in \$/)
  const workbook = toWorkbook('Price (USD)', ['[$$-409]#,##0.00'], [[5.5, 1]])
  t.match(await importTable(workbook, xlsx), { target: { to: /^trait:Price \(USD\)$/ }, found: ['5.5'] })
  for (const [format, shown] of [
    ['[$$-1009]0.00', /must be in USD.*is in CAD/],
    ['[$$-C09]0.00', /must be in USD.*is in \$ of an unknown country/],
    ['[$¥-804]0.00', /must be in USD.*is in CNY/]
  ] as const) {
    const mixed = toWorkbook(
      'Price (USD)',
      ['[$$-409]0.00', '"$"0.00', format],
      [1, 2, 3].map(style => [style + 0.5, style])
    )
    t.match((await importTable(mixed, xlsx)).found, ['1.5', '2.5', shown])
  }
})

t.test('a letter that only a few numbers have is no unit of all', async t => {
  const some = await importTable(toCsv('Lager', ['10', '12', '1l', '15', '7']))
  t.match(some.target, { to: /^trait:Lager$/ })
  t.match(some.found[2], /is in l: the trait needs a name with the unit/)
  const { target, found } = await importTable(toCsv('Lager', [...Array(19).fill('10'), '1l']))
  t.match(target, { to: /^trait:Lager$/, as: 'number' })
  t.match(found.at(-1), /must be a whole number, but has the letter l/)
})

t.test('codes that end with the letter of a unit stay as they are', async t => {
  for (const [title, cells] of [
    ['SKU', ['1001L', '1002L', '1003V']],
    ['Code', ['0815L', '0816L']]
  ] as [string, string[]][])
    t.same((await importTable(toCsv(title, cells))).found, cells)
})

t.test('a trait with the same name is found before one with a unit', async t => {
  const traits = ['Rabatt', 'Rabatt (%)']
  const numbers = toCsv('Rabatt', ['5', '7'])
  t.match(await importTable(numbers, csv, traits), { target: { to: /^trait:Rabatt$/ } })
  t.match(await importTable(numbers, csv, ['Rabatt (%)']), { target: { to: /^trait:Rabatt \(%\)$/ } })
  const priced = toCsv('Preis EUR', ['5,50', '7,00'])
  t.match(await importTable(priced, csv, ['Preis EUR (alt)']), { target: { to: /^trait:Preis EUR$/ } })
  const texts = toCsv('Rabatt', ['groß', 'klein'])
  t.match(await importTable(texts, csv, ['Rabatt (%)']), { target: { to: /^trait:Rabatt$/ } })
})

t.test('a number of a workbook whose format has another unit is a problem', async t => {
  const bytes = toWorkbook(
    'Gewicht',
    ['0.0" kg"', '0" g"'],
    [
      [2.5, 1],
      [500, 2],
      [Number.NaN, 2],
      [3, 1],
      [3.5, 1],
      [4, 0],
      [Number.NaN, 1]
    ],
    '<mergeCells><mergeCell ref="B3:B4"/></mergeCells>'
  )
  const { target, found, table, rows, mapping } = await importTable(bytes, xlsx)
  t.match(target, { to: /^trait:Gewicht \(kg\)$/, as: 'decimal' })
  t.match(found, [
    '2.5',
    /must be in kg.*is in g/,
    /must be in kg/,
    '3',
    '3.5',
    /has no unit: write 4 kg/,
    undefined
  ])
  const skipped = [{ row: rows[1], details: 'wrong' }] as Parameters<typeof writeSkipped>[2]
  t.match(
    await (await writeSkipped(table, mapping, skipped)).text(),
    /n1,500 g,wrong/,
    'also when it is saved'
  )
})

t.test('a format that shows thousands, or text that is no unit, tells nothing', async t => {
  for (const format of ['0.000," kg"', '#,##0,.0" t"', '0" EUR/kg"'])
    t.match(
      await importTable(toWorkbook('Wert', [format], [[2500, 1]]), xlsx),
      { target: { to: /^trait:Wert$/, as: 'number' }, found: [2500] },
      format
    )
})

t.test('words beside a number that are not the unit of the trait are a problem', async t => {
  for (const other of ['Mg', 'T', 'G', 'Stück']) {
    const { found } = await importTable(
      toWorkbook(
        'Gewicht (kg)',
        ['0" KG"', `0" ${other}"`, '0",-"'],
        [1, 2, 3].map(style => [style, style])
      ),
      xlsx
    )
    t.match(found, ['1', new RegExp(`must be in kg.*is in ${other}$`), '3'])
  }
  for (const format of ['General" g"', '"ca. "0" g"']) {
    const grams = toWorkbook('Gewicht (kg)', [format], [[5, 1]])
    t.match(
      (await importTable(grams, xlsx, [], { to: 'trait:Gewicht (kg)' })).found,
      [/must be in kg/],
      format
    )
  }
  const forints = toWorkbook('Ár (HUF)', ['0" Ft"'], [[900, 1]])
  t.same((await importTable(forints, xlsx)).found, [900])
})

t.test('a percentage of a workbook is the number that it shows', async t => {
  for (const [title, traits] of [
    ['MwSt', []],
    ['MwSt', ['MwSt (%)']],
    ['MwSt (%)', []]
  ] as [string, string[]][]) {
    const workbook = toWorkbook(
      title,
      ['0.0%', '0" %"'],
      [
        [0.19, 1],
        [0.07, 1],
        [0.285, 1],
        [5, 2]
      ]
    )
    const { target, found, table, rows, mapping } = await importTable(workbook, xlsx, traits)
    t.match(target, { to: /^trait:MwSt \(%\)$/, as: 'decimal' })
    t.same(found, ['19', '7', '28.5', '5'])
    const skipped = [{ row: rows[2], details: 'wrong' }] as Parameters<typeof writeSkipped>[2]
    t.match(
      await (await writeSkipped(table, mapping, skipped)).text(),
      title === 'MwSt' ? /n2,28.5 %,wrong/ : /n2,28.5,wrong/
    )
  }
  const plain = await importTable(toWorkbook('Anteil', ['0%'], [[0.5, 1]]), xlsx)
  t.same(plain.found, ['50'])
})
