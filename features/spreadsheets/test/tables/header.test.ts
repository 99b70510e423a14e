// Runs on SQLite only: the tables of other tests are imported on both engines.
/** The header of a table is found below titles, or chosen, and hidden rows are left out. */
import { readFile } from 'node:fs/promises'
import { type Test, t } from 'tap'
import { emptyStore } from '../../../../test/cli/import-files.ts'
import { runInside } from '../../../../test/cli/inside.ts'
import { makeSheet, type Row } from './xlsx/workbook.ts'

/** Guesses the mapping of a table, and imports it by this mapping. */
async function importTable(t: Test, name: string, content: string | Buffer, ...words: string[]) {
  const store = await emptyStore(t)
  const file = await store.write(name, content)
  const mapping = store.path('m.json')
  const call = ['import', file, '--mapping', mapping, ...words]
  const guessed = await runInside(t, call, store.env)
  if (guessed.code !== 0) return { ...guessed, columns: {}, templates: [] }
  const { columns } = JSON.parse(await readFile(mapping, 'utf8'))
  const done = await runInside(t, call, store.env)
  const templates = (await store.templates()).map(({ name, data }) => {
    const { attributes } = JSON.parse(data)
    return { name, traits: Object.fromEntries(attributes.map(Object.values)) }
  })
  return { ...done, columns, templates }
}

t.test('the header is the first row, or the first one below titles', async t => {
  const table = [
    { name: 'Stuhl', traits: { SKU: 'A1', Breite: 40, Preis: '19.90' } },
    { name: 'Tisch', traits: { SKU: 'A2', Breite: 140, Preis: '199.00' } }
  ]
  const whole = 'SKU;Name;Breite;Preis\nA1;Stuhl;40;19,90\nA2;Tisch;140;199,00\n'
  for (const [text, line] of [[whole, 1] as const, [`Preisliste\n\n${whole}`, 3] as const]) {
    const { code, stderr, templates } = await importTable(t, 'a.csv', text)
    t.equal(code, 0, text)
    t.same(templates, table)
    if (line > 1) t.match(stderr, `the header is row ${line}; --header selects another`)
    else t.notMatch(stderr, /the header is/)
  }
  const gaps: [text: string, names: string[]][] = [
    ['Artikel;Preis;\nStuhl;auf Anfrage;Neu\nTisch;5,00;x\n', ['Artikel', 'Preis', 'Column 3']],
    ['Artikel;Holz;;\nStuhl;Eiche;a;b\nTisch;5;6;7\n', ['Artikel', 'Holz', 'Column 3', 'Column 4']],
    ['SKU;Name;Preise;\n;;EK;VK\nA1;Stuhl;5,00;6,00\n', ['SKU', 'Name', 'Preise', 'Column 4']]
  ]
  for (const [text, names] of gaps)
    t.same(Object.keys((await importTable(t, 'a.csv', text)).columns), names, 'no row is lost')
})

t.test('the header is looked for in ten rows', async t => {
  const names = async (titles: number) => {
    const text = `${'Titel\n'.repeat(titles)}Name;Holz\n${'Stuhl;Eiche\n'.repeat(20)}`
    return Object.keys((await importTable(t, 'a.csv', text, '--dry-run')).columns)
  }
  t.same(await names(4), ['Name', 'Holz'])
  t.same(await names(5), ['Titel'])
})

t.test('another row may be chosen for the header', async t => {
  const technical = 'Name;Holz\nname;wood\nStuhl;Eiche\n'
  const { templates } = await importTable(t, 'a.csv', technical, '--header', '2')
  t.same(templates, [{ name: 'Stuhl', traits: { wood: 'Eiche' } }])
  const late = `${'\nTitel\n'.repeat(30)}Name;Holz\nStuhl;Eiche\n`
  t.same((await importTable(t, 'a.csv', late, '--header', '61')).templates, [
    { name: 'Stuhl', traits: { Holz: 'Eiche' } }
  ])
  t.match(await importTable(t, 'a.csv', technical, '--header', '9'), {
    code: 1,
    stderr: /a\.csv:9: there is no row to be the header/
  })
  t.match(await importTable(t, 'a.csv', technical, '--header', 'two'), {
    code: 2,
    stderr: /--header must be the number of a row, such as 3/
  })
})

t.test('a row that repeats the header is a problem', async t => {
  t.match(await importTable(t, 'a.csv', 'Name;Holz;\nStuhl;Eiche\nName;Holz\nTisch;Buche\n'), {
    code: 1,
    stderr: /a\.csv:3: the row repeats the header/
  })
})

t.test('hidden rows are left out, and counted', async t => {
  const rows: Row[] = [
    ['sku', 'name', 'wood'],
    ['SKU', 'Name', 'Holz'],
    ['A1', 'Stuhl', 'Eiche'],
    ['A2', 'Tisch', null],
    ['A3', 'Bank', null],
    []
  ]
  // The value of a merged range is in its first row, also if that is hidden.
  const sheet = makeSheet(rows, { hidden: [1, 3, 6], merges: ['C3:C5'] })
  const shown = await importTable(t, 'a.xlsx', sheet)
  t.match(shown.stderr, /2 hidden rows were left out; --hidden-rows imports hidden rows, too/)
  t.same(
    shown.templates.map(({ name, traits }) => [name, traits.Holz]),
    [
      ['Tisch', 'Eiche'],
      ['Bank', 'Eiche']
    ]
  )
  const all = await importTable(t, 'a.xlsx', sheet, '--hidden-rows', '--header', '2')
  t.notMatch(all.stderr, /hidden/)
  t.same(
    all.templates.map(({ name }) => name),
    ['Stuhl', 'Tisch', 'Bank']
  )
  t.match(await importTable(t, 'a.csv', 'SKU\nA1\n', '--hidden-rows'), { code: 2, stderr: /no hidden rows/ })
})

t.test('hidden rows are mentioned if reading fails', async t => {
  const rows: Row[] = [
    ['Name', 'Holz'],
    ['Farbe', 'Ort'],
    ['Stuhl', 'Eiche']
  ]
  const sheet = makeSheet(rows, { hidden: [1] })
  const store = await emptyStore(t)
  const file = await store.write('a.xlsx', sheet)
  const unmapped = await runInside(t, ['import', file], store.env)
  t.not(unmapped.code, 0)
  t.match(unmapped.stderr, /1 hidden row was left out; --hidden-rows imports hidden rows, too/)
  t.match(await importTable(t, 'a.xlsx', sheet, '--header', '9'), {
    code: 1,
    stderr: /1 hidden row was left out[\s\S]*a\.xlsx:9: there is no row to be the header/
  })
  t.match(await importTable(t, 'a.xlsx', sheet, '--header', '1'), {
    code: 1,
    stderr: /a\.xlsx:1: the row is hidden; --hidden-rows reads hidden rows/
  })
  const { templates } = await importTable(t, 'a.xlsx', sheet, '--header', '1', '--hidden-rows')
  t.same(
    templates.map(({ name }) => name),
    ['Farbe', 'Stuhl']
  )
})

t.test('a column is guessed from all its values, also if they come late', async t => {
  const rows = Array.from({ length: 12_000 }, (_, at) => {
    const [size, note] = [at === 5000 ? '2,5' : at + 1, at === 11_000 ? 'spät' : '']
    return `A${at};Stuhl ${at};${size};${at === 4000 ? '31/01/2026' : '01/31/2026'};${note}`
  })
  const { columns } = await importTable(
    t,
    'a.csv',
    `SKU;Name;Maß;Seit;Notiz\n${rows.join('\n')}`,
    '--dry-run'
  )
  t.match(columns, {
    Maß: { to: 'trait:Maß', as: 'decimal', notation: '1.234,5' },
    Seit: { as: 'date', notation: undefined },
    Notiz: { to: 'trait:Notiz', as: 'text' }
  })
})
