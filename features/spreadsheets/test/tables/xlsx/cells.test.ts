// Runs on SQLite only: tables.test.ts writes workbooks to both engines.
/** Cells of workbooks have the values that their owners see. */
import { writeXlsx } from 'hucre/xlsx'
import { t } from 'tap'
import { emptyStore } from '../../../../../test/cli/import-files.ts'
import { runInside } from '../../../../../test/cli/inside.ts'
import { onlyOn } from '../../../../../test/support/database/only-on.ts'
import { xlsx } from '../../../formats.ts'
import { makeParts, zip } from './workbook.ts'

/** Reads the rows of a workbook, and what was assumed. */
async function readRows(workbook: Uint8Array, sheet?: string) {
  const notes: string[] = []
  const note = (message: string) => notes.push(message)
  async function* pieces() {
    yield workbook
  }
  const rows: string[][] = []
  for await (const { cells } of xlsx.rows(pieces(), { sheet, note })) rows.push(cells)
  return { rows, notes }
}

/** Reads cells with number formats. */
async function readCells(cells: [value: number, format: string][], is1904 = false): Promise<string[]> {
  const xml = cells.map(([value], at) => `<c s="${at + 1}"><v>${value}</v></c>`).join('')
  const formats = cells.map(([, format]) => format)
  const parts = makeParts([{ name: 'S', xml: `<row>${xml}</row>` }], { formats, is1904 })
  return (await readRows(zip(parts))).rows[0] ?? []
}

const half = 0.5
const seconds = 1 / 86_400

t.test('a number has the form that its format shows', async t => {
  const cases: [value: number, format: string, text: string][] = [
    [0.28125, 'h:mm', '06:45:00'],
    [0.28125, 'hh:mm AM/PM', '06:45:00'],
    [0.28125, '[$-F400]h:mm:ss\\ AM/PM', '06:45:00'],
    [0.0104166667, 'mm:ss.0', '00:15:00'],
    [1 - seconds / 1e5, 'h:mm', '00:00:00'],
    [46_144.28125, 'h:mm', '06:45:00'],
    [2.1041666667, '[h]:mm', '50:30:00'],
    [2.1041666667, '[h]:mm:ss;@', '50:30:00'],
    [0.0625, '[mm]:ss', '01:30:00'],
    [0.0625, '[s]', '01:30:00'],
    [-0.0625, '[h]:mm', '-01:30:00'],
    [12.25 * seconds, '[ss].00', '00:00:12.250'],
    [46_144, 'dd/mm/yyyy', '2026-05-02'],
    [46_144, '[$-40C]d\\ mmmm\\ yyyy;@', '2026-05-02'],
    [46_144, 'mmm', '2026-05-02'],
    [46_144, 'yyyy-mm-dd hh:mm', '2026-05-02T00:00:00'],
    [46_144 + half, 'm/d/yyyy h:mm', '2026-05-02T12:00:00'],
    [46_144 + 1.125 * seconds, 'yyyy-mm-dd h:mm:ss.000', '2026-05-02T00:00:01.125'],
    [46_144 - seconds / 1e4, 'yyyy-mm-dd h:mm:ss', '2026-05-02T00:00:00'],
    [46_144 + half, 'dd.mm.yyyy', '2026-05-02T12:00:00'],
    [1, 'yyyy-mm-dd', '1900-01-01'],
    [61, 'yyyy-mm-dd', '1900-03-01'],
    [1e9, 'yyyy-mm-dd', '1000000000'],
    [77, '00000', '00077'],
    [8_101, '00\\-000', '08-101'],
    [8_101, '00-000', '08-101'],
    [-7, '000', '-007'],
    [-7, '000;"minus "000', 'minus 007'],
    [5_550_199, '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '555-0199'],
    [2_125_550_199, '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '(212) 555-0199'],
    [9, '"SKU-"0', 'SKU-9'],
    [9, '"SKU-"0000', 'SKU-0009'],
    [1_234.5, '#,##0.00\\ "€"', '1234.5'],
    [1_234, '#\\ ##0', '1234'],
    [1_234, '"EUR "0', '1234'],
    [0.15, '0%', '0.15'],
    [0.5, '# ?/?', '0.5'],
    [12_000, '0.00E+00', '12000'],
    [0.1 + 0.2, '0.0', '0.3'],
    [7, '0" days"', '7'],
    [7, '[Red]0;[Blue]-0', '7'],
    [7, ';;;', '7'],
    [4_006_381_333_931, '0', '4006381333931'],
    [0, '_ "CHF"\\ * #,##0.00_ ;_ "CHF"\\ * \\-#,##0.00_ ;_ "CHF"\\ * "-"??_ ;_ @_ ', '0'],
    [301_234, '"0"#', '0301234'],
    [301_234, '"+49 "0', '+49 301234'],
    [1.5e-7, '0.00E+00', '0.00000015'],
    [2e21, '0.0', '2000000000000000000000'],
    [59, 'yyyy-mm-dd', '1900-02-28'],
    [-1, 'yyyy-mm-dd', '1899-12-29']
  ]
  const found = await readCells(cases.map(([value, format]) => [value, format]))
  for (const [at, [value, format, text]] of cases.entries()) t.equal(found[at], text, `${value} as ${format}`)
  t.same(
    await readCells(
      [
        [0, 'yyyy-mm-dd'],
        [44_682 + half, 'yyyy-mm-dd h:mm'],
        [-0.25, '[h]:mm']
      ],
      true
    ),
    ['1904-01-01', '2026-05-02T12:00:00', '-06:00:00'],
    'days from 1904'
  )
})

t.test('cells of every type, as different programs write them', async t => {
  const xml = `
    <row r="2"><c r="B2" t="inlineStr"><is><r><t>rich </t></r><r><t xml:space="preserve">te_x0078_t</t></r><rPh sb="0" eb="1"><t>kana</t></rPh></is></c>
      <c r="AA2" t="b"><v>1</v></c></row>
    <row><c t="str"><f>A1&amp;"&lt;"</f><v>a&#x26;&amp;b</v></c><c t="str"><f>""</f><v></v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c><f>1+1</f></c><c s="0"/><c t="d"><v>2026-05-02T06:45:00</v></c></row>
    <row><c t="d"><v>1900-01-15</v></c><c t="d"><v>1850-03-01</v></c><c t="d" s="1"><v>06:45:00</v></c><c t="d"><v>soon</v></c></row>
    <row><c t="s"/><c t="b"/><c t="d"><v>\n</v></c><c t="e"><v>#ODD!</v></c><c t="n"><v>1e999</v></c></row>`
  const { rows } = await readRows(
    zip(makeParts([{ name: 'S', xml: `<!-- <row> -->${xml}` }], { formats: ['h:mm'] }))
  )
  t.same(rows, [
    ['', 'rich text', ...Array(24).fill(''), 'true'],
    ['a&&b', '', '#DIV/0!', '#CALC!', '', '2026-05-02T06:45:00'],
    ['1900-01-15', '1850-03-01', '06:45:00', 'soon'],
    ['', '', '', '#VALUE!', '1e999']
  ])
  const prefixed = makeParts([{ name: 'S', xml: '<x:row><x:c><x:v>5</x:v></x:c></x:row>' }])
  t.same((await readRows(zip(prefixed))).rows, [['5']])
})

t.test('each row of merged cells has the value that is shown for all of them', async t => {
  const rows = [
    ['Kind', 'Name', 'Wood'],
    ['Lamp', 'A', 'oak'],
    [null, 'B', null],
    [null, 'C', 'ash'],
    [null, 'D', null],
    ['Bowl', 'E', null],
    [null, null, null],
    [null, 'F', null]
  ]
  const merges = [
    { startRow: 1, startCol: 0, endRow: 3, endCol: 0 },
    { startRow: 1, startCol: 2, endRow: 2, endCol: 3 },
    { startRow: 5, startCol: 1, endRow: 5, endCol: 2 },
    { startRow: 5, startCol: 0, endRow: 7, endCol: 0 }
  ]
  const found = await readRows(await writeXlsx({ sheets: [{ name: 'S', rows, merges }] }))
  t.same(found.rows, [
    ['Kind', 'Name', 'Wood'],
    ['Lamp', 'A', 'oak'],
    ['Lamp', 'B', 'oak'],
    ['Lamp', 'C', 'ash'],
    ['', 'D'],
    ['Bowl', 'E'],
    ['Bowl', 'F']
  ])
})

t.test('the first visible sheet with cells is read, and named', async t => {
  const row = (text: string) => `<row><c t="str"><v>${text}</v></c></row>`
  const workbook = zip(
    makeParts([
      { name: 'Chart', xml: '', type: 'chartsheet' },
      { name: 'Secret', xml: row('secret'), state: 'veryHidden' },
      { name: 'Lists', xml: row('lists'), state: 'hidden' },
      { name: 'Wares', xml: row('wares') }
    ])
  )
  const { rows, notes } = await readRows(workbook)
  t.same(rows, [['wares']])
  t.same(notes, ['the sheet Wares was read, the largest visible one of 3; --sheet selects another'])
  t.same(await readRows(workbook, 'Lists'), { rows: [['lists']], notes: [] })
  await t.rejects(readRows(workbook, 'Chart'), { message: 'the workbook has no sheet Chart' })
  await t.rejects(readRows(zip(makeParts([{ name: 'Chart', xml: '', type: 'chartsheet' }]))), {
    message: /it has no sheet with cells/
  })
})

t.test('a sheet with a table is read rather than a cover before it or notes behind it', async t => {
  const row = (...texts: string[]) =>
    `<row>${texts.map(text => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
  const list = { name: 'List', xml: row('SKU', 'Name') + row('A', 'Jug') + row('B', 'Pot') }
  const cover = { name: 'Cover', xml: row('Date', 'May') + row('Author', 'Kim') }
  const notes = { name: 'Notes', xml: Array(20).fill(row('note')).join('') }
  const other = { ...list, name: 'Other' }
  const first = [['SKU', 'Name'], ...['A', 'B'].map((sku, at) => [sku, ['Jug', 'Pot'][at] as string])]
  const workbook = zip(makeParts([cover, list, notes, other]))
  const expected = 'the sheet List was read, the largest visible one of 4; --sheet selects another'
  t.same(await readRows(workbook), { rows: first, notes: [expected] })
  const hidden = { ...other, xml: list.xml.repeat(2), state: 'hidden' as const }
  t.same((await readRows(zip(makeParts([list, hidden])))).rows, first)
  const large = (name: string, count: number) => ({ name, xml: row(name, 'x').repeat(count) })
  const { rows } = await readRows(zip(makeParts([large('A', 1500), large('B', 2000)])))
  t.same(rows[0], ['A', 'x'], 'of large ones, the first')
  const long = { name: 'Long', xml: row('note').repeat(5000) + large('Long', 20).xml }
  t.same((await readRows(zip(makeParts([list, long])))).rows, first, 'the first rows show how large it is')
  const parts = makeParts([list, large('C', 50)])
  const sheet = 'xl/worksheets/sheet2.xml'
  t.same(
    (await readRows(zip({ ...parts, [sheet]: `${parts[sheet]?.slice(0, 90)}<row` }))).rows,
    first,
    'a damage'
  )
})

onlyOn('sqlite', 'an error in a cell is a problem of the cell, and nothing is imported', async t => {
  const store = await emptyStore(t)
  const header = ['Article', 'Name', 'Weight', 'Open']
  const workbook = await writeXlsx({
    sheets: [
      { name: 'Hidden', rows: [['x']], hidden: true },
      {
        name: 'Spring',
        rows: [header, ['A-1', 'Jug', null, 0.28125], ['A-2', 'Pot', 4, 0.5]],
        cells: new Map([
          ['1,2', { value: '#REF!', type: 'error' as const }],
          ['1,3', { value: 0.28125, style: { numFmt: 'h:mm' } }]
        ])
      }
    ]
  })
  const file = await store.write('spring.xlsx', workbook)
  const mapping = store.path('m.json')
  const guessed = await runInside(t, ['import', file, '--mapping', mapping], store.env)
  t.match(guessed, { code: 0, stderr: /spring\.xlsx: the sheet Spring was read/ })
  const words = ['import', file, '--mapping', mapping]
  t.match(await runInside(t, words, store.env), {
    code: 1,
    stderr: /spring\.xlsx:2 column Weight: has the error #REF!: correct it in the spreadsheet/
  })
  t.same(await store.templates(), [])
  const skipped = await runInside(t, [...words, '--on-problem', 'skip', '--json'], store.env)
  t.match(JSON.parse(skipped.stdout), {
    inserted: 1,
    notes: [`${file}: the sheet Spring was read, the largest visible one of 2; --sheet selects another`]
  })
})

t.test('the directory whose sizes are checked is the one that is read', async t => {
  const xml = '<row><c><v>5</v></c></row>'
  const parts = makeParts([{ name: 'S', xml }])
  t.same((await readRows(zip(parts, 'zip64'))).rows, [['5']])
  t.same((await readRows(zip(parts, 'both'))).rows, [['5']])
  const large = { ...parts, 'xl/worksheets/sheet1.xml': Buffer.alloc(600 * 2 ** 20, ' ') }
  for (const kind of ['plain', 'zip64'] as const)
    await t.rejects(readRows(zip(large, kind)), { message: /more than 512 MiB when it is unpacked/ })
  await t.rejects(readRows(zip(large, 'both')), { message: /a part is larger than its stated size/ })
})
