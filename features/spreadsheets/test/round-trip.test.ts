// Runs on SQLite only, in test:all only: import.test.ts writes to both engines.
/** What is exported as a table comes back as it was. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { t } from 'tap'
import type { ProductTemplate } from '../../../domain/columns.ts'
import type { Format } from '../../../terminal/file-format.ts'
import fc from '../../../test/support/generated/fast-check.ts'
import { comeBack, template, thereAndBack } from '../../../test/support/generated/templates.ts'
import { csv, type TableFormat, tsv, xlsx } from '../formats.ts'
import { Zip } from '../tables/xlsx/zip.ts'

const toFormat = ({ read, write }: TableFormat): Format => ({
  read: input => read(input, { find: async () => [] }),
  write: pages => write(pages, {})
})

for (const [name, format] of Object.entries({ csv, tsv, xlsx }))
  t.test(`templates there and back as ${name}`, async t => {
    await t.resolves(comeBack(toFormat(format)))
  })

t.test('a file .tsv has tabs', async t => {
  async function* none() {}
  const { value: header } = await tsv.write(none, {}).next()
  t.match(header, /^id\tblockchainId\t/)
})

t.test('XLSX has escapes for what XML cannot have, and for what looks like one', async t => {
  const data = '{"a_x0041_":1,"attributes":[{"trait_type":"b_x0042_","value":2}]}'
  const [given] = fc.sample(template, 1) as [ProductTemplate]
  const odd = { ...given, name: 'a\ufffeb\uffff_xFFFE_\u0001', data }
  t.same(await thereAndBack(toFormat(xlsx), [odd], 1000), [odd])
  async function* pages() {
    yield [odd]
  }
  const parts: Uint8Array[] = []
  for await (const part of xlsx.write(pages, {})) parts.push(part as Uint8Array)
  const zip = new Zip(Buffer.concat(parts))
  let sheet = ''
  for await (const part of zip.read('xl/worksheets/sheet1.xml')) sheet += Buffer.from(part)
  t.match(sheet, 'a_xFFFE_b_xFFFF__x005F_xFFFE__x0001_')
  t.notMatch(sheet, /[\ufffe\uffff]/)
})

t.test('more rows than a sheet has are refused, not written to a second sheet', async t => {
  // In a process of its own, because tap makes so many promises slow.
  const code = `
    const { writeXlsx } = await import(${JSON.stringify(import.meta.resolve('../tables/xlsx/write.ts'))})
    for await (const _ of writeXlsx([], Array.from({ length: 1_048_576 }, () => [])));`
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env: {} })
  await t.rejects(child, { message: /XLSX has at most 1048575 rows: export CSV/ })
})
