// Runs on SQLite only: the tables of other tests are imported on both engines.
/** The header of a table is found below titles and groups, and hidden rows are left out. */
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

t.test('a header below titles and groups is found', async t => {
  const chair = { SKU: 'A1', Breite: 40, Höhe: 90, Tiefe: 45, Preis: '19.90' }
  const table = [
    { name: 'Stuhl', traits: chair },
    { name: 'Tisch', traits: { SKU: 'A2', Breite: 140, Höhe: 75, Tiefe: 80, Preis: '199.00' } }
  ]
  const rows = 'A1;Stuhl;40;90;45;19,90\nA2;Tisch;140;75;80;199,00\n'
  const whole = `SKU;Name;Breite;Höhe;Tiefe;Preis\n${rows}`
  const cases: [text: string, line: number][] = [
    [whole, 1],
    [`Preisliste;;;;Stand: Mai;\n\n${whole}`, 3],
    [`Preisliste\n;;Maße;;;\n${whole}`, 3],
    [`Artikel;;Maße;;;\n${whole}`, 2],
    [`Kunde;Meier;;;;\nDatum;01.05.2026;;;;\n${whole}`, 3],
    [`SKU;Name;Maße;;;Preis\n;;Breite;Höhe;Tiefe;\n${rows}`, 2]
  ]
  const two = 'SKU;Name;Preise;\n;;EK;VK\nA1;Stuhl;5,00;6,00\n'
  t.same((await importTable(t, 'a.csv', two)).templates[0]?.traits, { SKU: 'A1', EK: '5.00', VK: '6.00' })
  for (const [text, line] of cases) {
    const { code, stderr, templates } = await importTable(t, 'a.csv', text)
    t.equal(code, 0, text)
    t.same(templates, table)
    if (line > 1) t.match(stderr, `the header is row ${line}; --header selects another`)
    else t.notMatch(stderr, /the header is/)
  }
})

t.test('the header of a sheet may have merged cells', async t => {
  const rows: Row[] = [
    ['Frühjahr 2026', null, null, null, null],
    ['SKU', 'Name', 'Maße', null, null],
    [null, null, 'Breite', 'Höhe', 'Tiefe'],
    ['A1', 'Stuhl', 40, 90, 45]
  ]
  const merges = ['A1:E1', 'A2:A3', 'B2:B3', 'C2:E2']
  const { stderr, templates } = await importTable(t, 'a.xlsx', makeSheet(rows, { merges }))
  t.match(stderr, /the header is row 3/)
  t.same(templates, [{ name: 'Stuhl', traits: { SKU: 'A1', Breite: 40, Höhe: 90, Tiefe: 45 } }])
})

t.test(
  'a row is no header only because the first one lacks names, and another row may be chosen',
  async t => {
    const cases: [text: string, names: string[]][] = [
      [
        'Artikel;Preis;\nStuhl;auf Anfrage;Neu\nTisch;5,00;x\nBank;6,00;y\n',
        ['Artikel', 'Preis', 'Column 3']
      ],
      [
        'Art;Name;Preis;\nStuhl;A;auf Anfrage;x\nStuhl;B;auf Anfrage;y\nBank;C;5,00;\nBank;D;6,00;\nBank;E;7,00;\n',
        ['Art', 'Name', 'Preis', 'Column 4']
      ],
      ['Artikel;Holz;;\nStuhl;Eiche;a;b\nTisch;Buche;x;y\n', ['Artikel', 'Holz', 'Column 3', 'Column 4']],
      ['Artikel;Preis;;\nStuhl;5,00;a;b\nTisch;7,00;c;d\n', ['Artikel', 'Preis', 'Column 3', 'Column 4']]
    ]
    for (const [text, names] of cases)
      t.same(Object.keys((await importTable(t, 'a.csv', text)).columns), names)
    const technical = 'Name;Holz\nname;wood\nStuhl;Eiche\n'
    const { templates } = await importTable(t, 'a.csv', technical, '--header', '2')
    t.same(templates, [{ name: 'Stuhl', traits: { wood: 'Eiche' } }])
    t.match(await importTable(t, 'a.csv', technical, '--header', '9'), {
      code: 1,
      stderr: /a\.csv:9: there is no row to be the header/
    })
    t.match(await importTable(t, 'a.csv', technical, '--header', 'two'), {
      code: 2,
      stderr: /--header must be the number of a row, such as 3/
    })
  }
)

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
