/** A table of a shop: its own numbers find the products again, and what is wrong is said before anything is written. */
import { readFile } from 'node:fs/promises'
import { t } from 'tap'
import { defaultValues } from '../../../domain/columns.ts'
import { emptyStore } from '../../../test/cli/import-files.ts'
import { runInside } from '../../../test/cli/inside.ts'
import { products, toGermanCsv, toWorkbook, wrongRows } from './shop.ts'
import { makeParts, zip } from './tables/xlsx/workbook.ts'

const attributesOf = (data: string): Record<string, unknown> =>
  Object.fromEntries(
    JSON.parse(data).attributes.map((trait: { trait_type: string; value: unknown }) => [
      trait.trait_type,
      trait.value
    ])
  )

t.test('a table of a shop is imported by its numbers, as CSV and as XLSX', async t => {
  const store = await emptyStore(t)
  const file = await store.write('artikel.csv', toGermanCsv())
  const mapping = store.path('artikel.json')
  const importFile = (path: string, ...words: string[]) =>
    runInside(t, ['import', path, '--mapping', mapping, ...words], store.env)
  await importFile(file)
  t.same(JSON.parse(await readFile(mapping, 'utf8')), {
    columns: {
      Artikelnummer: { to: 'trait:Artikelnummer', as: 'text' },
      Bezeichnung: { to: 'name', as: 'text' },
      Preis: { to: 'trait:Preis (EUR)', as: 'money', notation: '1.234,5' },
      Gewicht: { to: 'trait:Gewicht (kg)', as: 'decimal', notation: '1.234,5', needsUnit: true },
      Lagerbestand: { to: 'trait:Lagerbestand', as: 'number' },
      Eingeführt: { to: 'trait:Eingeführt', as: 'date' },
      Material: { to: 'trait:Material', as: 'text' },
      Foto: { to: 'document.image', as: 'picture' }
    },
    defaults: defaultValues,
    key: 'trait:Artikelnummer'
  })

  const tried = await importFile(file, '--dry-run', '--on-problem', 'report')
  t.equal(tried.code, 1)
  const { twice, empty, noDay } = wrongRows
  t.same(
    tried.stderr
      .split('\n')
      .filter(line => line.startsWith(file))
      .map(line => line.slice(file.length).replace(/ \(.*/, '')),
    [
      `:${twice} column Artikelnummer: OUT-1001 is in row 3, too`,
      `:${empty} column Artikelnummer: needs a value, because it is the key`,
      `:${noDay} column Eingeführt: is a day that does not exist`
    ]
  )
  t.match(await importFile(file), { code: 1 })
  t.same(await store.templates(), [], 'nothing is written')

  const skip = ['--on-problem', 'skip', '--replace']
  t.match((await importFile(file, ...skip)).stderr, /117 new; 3 of 120 records have problems/)
  const [first, second] = await store.templates()
  t.match(first, { name: 'Fjäll Jacke 0', maxItems: defaultValues.maxItems })
  t.same(attributesOf(first?.data ?? ''), {
    Artikelnummer: 'OUT-1000',
    'Preis (EUR)': '1234.50',
    'Gewicht (kg)': '0.250',
    Lagerbestand: 0,
    Eingeführt: '2026-01-01',
    Material: 'Wolle'
  })
  t.match(attributesOf(second?.data ?? ''), { 'Preis (EUR)': '23.60', Eingeführt: '2026-02-02' })

  const workbook = await store.write('artikel.xlsx', await toWorkbook())
  for (const path of [file, workbook])
    t.match((await importFile(path, ...skip)).stderr, /0 new, 117 unchanged; 3 of 120/)
  const other = store.path('workbook.json')
  await runInside(t, ['import', workbook, '--mapping', other], store.env)
  t.match(JSON.parse(await readFile(other, 'utf8')), {
    columns: {
      Preis: { to: 'trait:Preis (EUR)', as: 'decimal' },
      Gewicht: { to: 'trait:Gewicht (kg)', as: 'decimal' }
    },
    key: 'trait:Artikelnummer'
  })
  const again = await runInside(t, ['import', workbook, '--mapping', other, ...skip], store.env)
  t.match(again.stderr, /0 new, 117 unchanged/, 'also by a mapping of its own')
  const heavier = await store.write(
    'schwer.xlsx',
    await toWorkbook([{ ...products[0], weight: 500_000 }] as never)
  )
  t.match(
    (await runInside(t, ['import', heavier, '--mapping', other, '--replace'], store.env)).stderr,
    /column Gewicht: has no unit: write 500 kg, if it is in kg/
  )

  const renamed = products
    .slice(1, 4)
    .map((product, at) => ({ ...product, name: `Neu ${at}`, price: at === 0 ? 1995 : product.price }))
  const next = await store.write('neu.csv', toGermanCsv(renamed))
  t.match((await importFile(next, ...skip)).stderr, /0 new, 3 replaced/)
  const { name, data } = (await store.templates())[1] ?? { data: '' }
  t.equal(name, 'Neu 0')
  t.equal(JSON.parse(data).name, 'Neu 0', 'also in the document, which had the same name')
  t.match(attributesOf(data), { Artikelnummer: 'OUT-1001', 'Preis (EUR)': '19.95', Material: 'Leder' })
  t.match((await importFile(file, '--on-problem', 'skip')).stderr, /a template with id 1 exists/)
})

t.test(
  'a workbook has the currencies and units in its formats, and errors of formulas tell nothing',
  async t => {
    const store = await emptyStore(t)
    const text = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
    const row = (sku: string, price: string, weight: number) =>
      `<row>${text(sku)}${text('Zelt')}${price}<c s="2"><v>${weight}</v></c></row>`
    const header = `<row>${['SKU', 'Name', 'Preis', 'Gewicht'].map(text).join('')}</row>`
    const xml = `${header}${row('Z-1', '<c s="1"><v>1234.5</v></c>', 2.4)}${row('Z-2', '<c t="e"><v>#N/A</v></c>', 3)}`
    const parts = makeParts([{ name: 'Artikel', xml }], { formats: ['#,##0.00\\ [$€-407]', '0.000" kg"'] })
    const workbook = await store.write('zelte.xlsx', zip(parts))
    const mapping = store.path('zelte.json')
    const importFile = (path: string, ...words: string[]) =>
      runInside(
        t,
        ['import', path, '--mapping', mapping, '--on-problem', 'skip', '--replace', ...words],
        store.env
      )
    await importFile(workbook)
    t.match(JSON.parse(await readFile(mapping, 'utf8')).columns, {
      Preis: { to: 'trait:Preis (EUR)', as: 'money' },
      Gewicht: { to: 'trait:Gewicht (kg)', as: 'decimal' }
    })
    t.match((await importFile(workbook)).stderr, /1 new; 1 of 2 records/)
    const [template] = await store.templates()
    t.match(attributesOf(template?.data ?? ''), { 'Preis (EUR)': '1234.5', 'Gewicht (kg)': '2.4' })
    const csv = await store.write('zelte.csv', 'SKU;Name;Preis;Gewicht\nZ-1;Zelt;1.234,50 €;2,40 kg\n')
    t.match((await importFile(csv)).stderr, /0 new, 1 unchanged/, 'the same as CSV')
  }
)

t.test('a key that does not name one template is a problem', async t => {
  const store = await emptyStore(t)
  const time = '2026-01-02T03:04:05.678901Z'
  const attributes = (...values: unknown[]) => values.map(value => ({ trait_type: 'Code', value }))
  await store.fill(
    [['A'], ['A'], [7], ['7'], [8], ['B', 'C'], ['it"s; odd'], [['D']], [null]].map((values, id) => ({
      ...{ ...defaultValues, id, name: `n${id}`, timeCreated: time, timeModified: time },
      data: JSON.stringify({ attributes: attributes(...values) })
    }))
  )
  const columns = { Code: { to: 'trait:Code', as: 'text' }, Name: { to: 'name', as: 'text' } }
  const importBy = async (rows: string, given: object = { columns, defaults: {}, key: 'trait:Code' }) => {
    const file = await store.write('a.csv', `Code;Name\n${rows}`)
    const mapping = await store.write('m.json', JSON.stringify(given))
    const words = ['--replace', '--dry-run', '--on-problem', 'report']
    return (await runInside(t, ['import', file, '--mapping', mapping, ...words], store.env)).stderr
  }
  t.match(await importBy('A;x'), /a\.csv:2 column Code: 2 templates have this Code/)
  t.match(await importBy('7;x'), /a\.csv:2 column Code: 2 templates have this Code/)
  t.match(await importBy('8;x\n"it""s; odd";y'), /0 new, 2 replaced/, 'also as a number')
  t.match(await importBy('C;x'), /a\.csv:2 column Code: the template has several values of Code/)
  t.match(await importBy(`${'x'.repeat(1001)};x`), /column Code: is too long for a key/)
  t.match(await importBy(';x'), /column Code: needs a value, because it is the key/)
  const many = Array.from({ length: 1001 }, (_, at) => ({
    ...{ ...defaultValues, id: 100 + at, name: `m${at}`, timeCreated: time, timeModified: time },
    data: JSON.stringify({ attributes: attributes('M') })
  }))
  await store.fill(many)
  t.match(await importBy('M;x'), /more than 1000 templates have the same Code: choose another key/)
  for (const [given, message] of [
    [{ columns, defaults: {}, key: 'trait:Size' }, /the key is trait:Size, but no column becomes trait:Size/],
    [{ columns, defaults: {}, key: 'Code' }, /key must be id, productId, name or trait:…/],
    [
      { columns: { ...columns, Code: { to: 'trait:Code', as: 'list' } }, defaults: {}, key: 'trait:Code' },
      /column Code: a column of the kind list cannot be the key/
    ],
    [
      {
        columns: { ...columns, Name: { to: 'name', as: 'text', notation: '1.234,5' } },
        defaults: {},
        key: null
      },
      /notation of date is day\/month\/year or month\/day\/year/
    ],
    [
      {
        columns: { ...columns, Name: { to: 'trait:Weight', as: 'decimal', needsUnit: true } },
        defaults: {},
        key: null
      },
      /needsUnit is only for a "to" with a unit/
    ]
  ] as const)
    t.match(await importBy('A;x', given), message)
})

t.test('a renamed product keeps a name of its own in the document, and one that has a column', async t => {
  const store = await emptyStore(t)
  const time = '2026-01-02T03:04:05.678901Z'
  await store.fill(
    ['Lamp', 'Chair'].map((name, id) => ({
      ...{ ...defaultValues, id, name, timeCreated: time, timeModified: time },
      data: JSON.stringify({ name: id === 0 ? 'Lamp' : 'Sold as Seat', attributes: [] }, null, 2)
    }))
  )
  const namesAfter = async (csv: string) => {
    const file = await store.write('a.csv', csv)
    t.match(await runInside(t, ['import', file, '--replace'], store.env), { code: 0 })
    return (await store.templates()).map(({ name, data }) => [name, JSON.parse(data).name])
  }
  t.same(await namesAfter('id,name\n0,Lantern\n1,Stool\n'), [
    ['Lantern', 'Lantern'],
    ['Stool', 'Sold as Seat']
  ])
  t.same(await namesAfter('id,name,document.name\n0,Torch,Lantern\n'), [
    ['Torch', 'Lantern'],
    ['Stool', 'Sold as Seat']
  ])
})

t.test('the numbers of merged cells need no notation', async t => {
  const store = await emptyStore(t)
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const row = (...cells: string[]) => `<row>${cells.join('')}</row>`
  const xml = [
    row(text('SKU'), text('Weight')),
    row(text('A'), '<c><v>12.5</v></c>'),
    row(text('B')),
    row(text('C'), text('5,50'))
  ].join('')
  const end = '<mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>'
  const file = await store.write('a.xlsx', zip(makeParts([{ name: 'S', xml, end }])))
  const mapping = store.path('m.json')
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  const guess = JSON.parse(await readFile(mapping, 'utf8'))
  t.match(guess, { columns: { Weight: { notation: '1.234,5' } }, key: 'trait:SKU' })
  guess.columns.SKU.to = 'name'
  await store.write('m.json', JSON.stringify({ ...guess, key: 'name' }))
  t.match(await runInside(t, ['import', file, '--mapping', mapping], store.env), { code: 0 })
  t.same(
    (await store.templates()).map(({ data }) => attributesOf(data).Weight),
    ['12.5', '12.5', '5.50']
  )
})

t.test('a cell with two meanings is a problem until its column has a notation', async t => {
  const store = await emptyStore(t)
  const rows = 'Name;Kosten;Termin\na;1.234;03/04/2026\nb;56.789;05/06/2026\n'
  const file = await store.write('a.csv', rows)
  const mapping = store.path('m.json')
  const importFile = (...words: string[]) =>
    runInside(t, ['import', file, '--mapping', mapping, ...words], store.env)
  await importFile()
  const guess = JSON.parse(await readFile(mapping, 'utf8'))
  t.match(guess.columns, { Kosten: { as: 'decimal' }, Termin: { as: 'date' } })
  const { stderr } = await importFile('--on-problem', 'report')
  t.match(stderr, /:2 column Kosten: has two meanings/)
  t.match(stderr, /:3 column Termin: has two meanings/)
  t.same(await store.templates(), [])
  guess.columns.Kosten.notation = '1.234,5'
  guess.columns.Termin.notation = 'month/day/year'
  await store.write('m.json', JSON.stringify(guess))
  t.match(await importFile(), { code: 0 })
  t.same(
    (await store.templates()).map(({ data }) => attributesOf(data)),
    [
      { Kosten: '1234', Termin: '2026-03-04' },
      { Kosten: '56789', Termin: '2026-05-06' }
    ]
  )
  const english = await store.write('a.csv', 'Name;Kosten;Termin\nc;1,234.50;2026-03-04\n')
  t.match(await runInside(t, ['import', english, '--mapping', mapping], store.env), {
    code: 1,
    stderr: /a\.csv:2 column Kosten: must be a number in the notation 1\.234,5/
  })
})
