// Runs on SQLite only, because it needs no database.
/** A workbook that is damaged, forged, or of another kind is refused in words, or read as it was. */
import { t } from 'tap'
import fc from '../../../../../test/support/generated/fast-check.ts'
import { openWorkbook } from '../../../tables/xlsx/read.ts'
import { makeParts, zip } from './workbook.ts'

/** Reads the first sheet as JSON. */
async function read(workbook: Uint8Array): Promise<string> {
  const { rows, sheet: name } = await openWorkbook(workbook)
  const found: string[][] = []
  for await (const { cells } of rows(name)) found.push(cells)
  return JSON.stringify(found)
}

const sheet = (xml: string, formats: string[] = []) => makeParts([{ name: 'S', xml }], { formats })
const inWords =
  /^the (?:file is not an XLSX workbook, or it is damaged$|workbook (?:is too large: it has|cannot be read: (?:it|its|a|the)) \w)/

const cells = (row: number) =>
  `<c t="inlineStr"><is><t>Mug ${row}</t></is></c><c s="1"><v>${46_000 + row}</v></c><c t="b"><v>1</v></c><c t="d"><v>2026-03-0${row}</v></c>`
const rows = [1, 2, 3, 4, 5, 6].map(row => `<row r="${row}">${cells(row)}</row>`).join('')
const whole = sheet(rows, ['dd.mm.yyyy'])

for (const kind of ['plain', 'zip64', 'both'] as const)
  t.test(`no damaged byte of a workbook changes a value: ${kind}`, async t => {
    const workbook = zip(whole, kind)
    const right = await read(workbook)
    const anyByte = fc.record({ at: fc.nat(workbook.length - 1), byte: fc.integer({ min: 0, max: 255 }) })
    const isSafe = fc.asyncProperty(
      fc.array(anyByte, { minLength: 1, maxLength: 4 }),
      fc.option(fc.nat(workbook.length)),
      async (changes, end) => {
        const damaged = Buffer.from(workbook.subarray(0, end ?? workbook.length))
        for (const { at, byte } of changes) damaged[at] = byte
        const found = await read(damaged).catch(error => error)
        return found === right || (found.name === 'Error' && inWords.test(found.message))
      }
    )
    await t.resolves(fc.assert(isSafe, { numRuns: 500, examples: [[[{ at: 0, byte: 0 }], null]] }))
  })

t.test('a small workbook with long texts in odd places does not take minutes', async t => {
  const long = 2 ** 20 - 1000
  t.equal(await read(zip(sheet(`<row ${'a'.repeat(long)}><c><v>5</v></c></row>`))), '[["5"]]')
  await t.rejects(read(zip(sheet('<row><c s="1"><v>5</v></c></row>', ['['.repeat(long)]))), {
    message: 'the workbook cannot be read: a number format is too long'
  })
})

t.test('a cell whose text or format is not there is no other value', async t => {
  const missing = { message: /a cell refers to a text or a format that is missing/ }
  await t.rejects(read(zip(sheet('<row><c t="s"><v>0</v></c></row>'))), missing)
  await t.rejects(read(zip(sheet('<row><c s="4"><v>46000</v></c></row>'))), missing)
  const { 'xl/styles.xml': _, ...plain } = sheet('<row><c s="0"><v>46000</v></c></row>')
  t.equal(await read(zip(plain)), '[["46000"]]')
})

t.test('workbooks of other kinds are named', async t => {
  const old = Buffer.alloc(600)
  old.writeUInt32BE(0xd0cf11e0)
  await t.rejects(read(old), { message: /has a password or is from an older program\. Save it as XLSX/ })
  const parts = sheet('')
  const start = (parts['_rels/.rels'] as string).replace('workbook.xml', 'workbook.bin')
  await t.rejects(read(zip({ ...parts, '_rels/.rels': start })), {
    message: /in a binary format: save it as XLSX/
  })
  const backslashes = Object.entries(sheet('<row><c><v>5</v></c></row>')).map(([name, part]) => [
    name.replaceAll('/', '\\'),
    part
  ])
  t.equal(await read(zip(Object.fromEntries(backslashes))), '[["5"]]')
  const rows = '<row><c><v>5</v></c></row><row><c><v/></c><c><v>6</v></c></row>'
  const merged = makeParts([{ name: 'S', xml: rows, end: "<mergeCell ref='A1:A2'/>" }])
  t.equal(await read(zip(merged)), '[["5"],["5","6"]]')
})

t.test('text that is not in UTF-8 is refused, not replaced', async t => {
  const parts = {
    ...sheet(''),
    'xl/worksheets/sheet1.xml': Buffer.from('<row><c t="str"><v>é</v></c></row>', 'latin1')
  }
  await t.rejects(read(zip(parts)), { message: 'the workbook cannot be read: it is damaged' })
})
