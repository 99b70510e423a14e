// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** What is exported comes back as it was, in every format. */
import { execFile } from 'node:child_process'
import { isDeepStrictEqual, promisify } from 'node:util'
import { t } from 'tap'
import { findFormat } from '../../../cli/formats/inputs.ts'
import { type Column, columns, maxInt, type ProductTemplate } from '../../../domain/columns.ts'
import { Zip } from '../../../features/spreadsheets/tables/xlsx/zip.ts'
import fc from '../../support/generated/fast-check.ts'
import { oddDocument, oddText } from '../../support/generated/odd-json.ts'

/** Texts as a database has them: PostgreSQL has no U+0000, and neither has half of a surrogate pair. */
const isStored = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
const text = oddText.filter(text => text !== '' && isStored(text))
const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map(date => date.toISOString().replace('Z', '123Z'))

/** Any value of a column. */
const anyOf = ({ type, least }: Column): fc.Arbitrary<unknown> =>
  ({
    integer: fc.integer({ min: least ?? 0, max: maxInt }),
    text,
    boolean: fc.boolean(),
    time,
    document: oddDocument(100).filter(isStored)
  })[type]

const template = fc.record(
  Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, anyOf(column)])),
  // As they are read.
  { noNullPrototype: true }
) as fc.Arbitrary<unknown> as fc.Arbitrary<ProductTemplate>

/** Writes a file by pages, and reads it in pieces of `size` bytes. */
async function thereAndBack(format: string, templates: ProductTemplate[], size: number): Promise<unknown[]> {
  const { read, write } = findFormat(`x.${format}`)
  async function* pages() {
    for (let start = 0; start < templates.length; start += 2) yield templates.slice(start, start + 2)
  }
  const parts: Uint8Array[] = []
  for await (const part of write(pages, {})) parts.push(Buffer.from(part as string))
  const bytes = Buffer.concat(parts)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const found: unknown[] = []
  for await (const { values, problems } of read(pieces(), { find: async () => [] }))
    found.push(problems?.length ? problems : values)
  return found
}

for (const format of ['json', 'ndjson', 'csv', 'tsv', 'xlsx'])
  t.test(`templates there and back as ${format}`, async t => {
    const isSame = fc.asyncProperty(
      fc.array(template, { maxLength: 3 }),
      fc.constantFrom(7, 1000, 2 ** 16),
      async (templates, size) => isDeepStrictEqual(await thereAndBack(format, templates, size), templates)
    )
    await t.resolves(fc.assert(isSame, { numRuns: 100 }))
  })

t.test('a file .tsv has tabs', async t => {
  async function* none() {}
  const { value: header } = await findFormat('x.tsv').write(none, {}).next()
  t.match(header, /^id\tblockchainId\t/)
})

t.test('XLSX has escapes for what XML cannot have, and for what looks like one', async t => {
  const data = '{"a_x0041_":1,"attributes":[{"trait_type":"b_x0042_","value":2}]}'
  const [given] = fc.sample(template, 1) as [ProductTemplate]
  const odd = { ...given, name: 'a\ufffeb\uffff_xFFFE_\u0001', data }
  t.same(await thereAndBack('xlsx', [odd], 1000), [odd])
  async function* pages() {
    yield [odd]
  }
  const parts: Uint8Array[] = []
  for await (const part of findFormat('x.xlsx').write(pages, {})) parts.push(part as Uint8Array)
  const zip = new Zip(Buffer.concat(parts))
  let sheet = ''
  for await (const part of zip.read('xl/worksheets/sheet1.xml')) sheet += Buffer.from(part)
  t.match(sheet, 'a_xFFFE_b_xFFFF__x005F_xFFFE__x0001_')
  t.notMatch(sheet, /[\ufffe\uffff]/)
})

t.test('more rows than a sheet has are refused, not written to a second sheet', async t => {
  // In a process of its own, because tap makes so many promises slow.
  const code = `
    const { writeXlsx } = await import(${JSON.stringify(import.meta.resolve('../../../features/spreadsheets/tables/xlsx/write.ts'))})
    for await (const _ of writeXlsx([], Array.from({ length: 1_048_576 }, () => [])));`
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env: {} })
  await t.rejects(child, { message: /XLSX has at most 1048575 rows: export CSV/ })
})
