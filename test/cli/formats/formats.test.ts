// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
/** What is read from a file's text, in pieces of any size. */
import { t } from 'tap'
import { json, ndjson } from '../../../cli/formats/json.ts'
import { FormatError } from '../../../domain/format-error.ts'
import fc from '../../support/generated/fast-check.ts'
import { nastyTemplates } from '../import-files.ts'

const formats = { 'a.json': json, 'a.ndjson': ndjson }
type File = keyof typeof formats
const files = Object.keys(formats) as File[]

/** Reads a text that arrives in pieces of `size` bytes. */
async function readAll(file: File, text: string | Uint8Array, size = 7) {
  const bytes = Buffer.from(text as string)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const records = []
  for await (const record of formats[file].read(pieces(), () => {}, 'a file')) records.push(record)
  return records
}

const values = async (file: File, text: string, size?: number) =>
  (await readAll(file, text, size)).map(({ values }) => values)

async function writeAll(file: File, templates = nastyTemplates): Promise<string> {
  async function* pages() {
    for (let start = 0; start < templates.length; start += 4) yield templates.slice(start, start + 4)
  }
  let text = ''
  for await (const part of formats[file].write(pages, () => {})) text += part
  return text
}

t.test('every format is read in pieces of any size', async t => {
  for (const file of files) {
    const text = await writeAll(file)
    t.notOk(text.includes('\0'))
    for (const size of [1, 2, 3, 17, 1000, 1_000_000])
      t.same(await values(file, `\uFEFF${text}`, size), nastyTemplates, `${file} by ${size}`)
  }
  t.equal(await writeAll('a.json', []), '[]\n')
  t.same(await values('a.json', ' [ ] '), [])
})

t.test('the records of any JSON array are those of JSON.parse', async t => {
  const space = fc.constantFrom('', ' ', '\n', ' \r\n\t')
  const isSame = fc.asyncProperty(
    fc.array(fc.json()),
    space,
    fc.integer({ min: 1 }),
    async (texts, gap, size) => {
      const text = `${gap}[${gap}${texts.join(`${gap},${gap}`)}${gap}]${gap}`
      return JSON.stringify(await values('a.json', text, size)) === JSON.stringify(JSON.parse(text))
    }
  )
  await t.resolves(fc.assert(isSame, { numRuns: 150 }))
})

t.test('records have their lines', async t => {
  const lines = async (file: File, text: string) => (await readAll(file, text)).map(({ place }) => place.line)
  t.same(await lines('a.json', '\n[{},\n\n{"a":\n1}\n,7,\n{"é":"ü"}\n]'), [2, 4, 6, 7])
  t.same(await lines('a.ndjson', '{}\n\r\n{}\r\n{'), [1, 3, 4])
})

t.test('text that cannot be read says where', async t => {
  const cases: [file: File, text: string | Uint8Array, line: number, message: RegExp][] = [
    ['a.json', '[{}', 1, /the file ends before the end of the array/],
    ['a.json', '', 1, /the file ends before the end of the array/],
    ['a.json', '[\n{}\n{}]', 3, /a comma or the end of the array is missing/],
    ['a.json', '[{},\n]', 2, /this is not valid JSON/],
    ['a.json', '[\n,{}]', 2, /this is not valid JSON/],
    ['a.json', '{"a":1}', 1, /the file must be one JSON array of templates/],
    ['a.json', '[{}]\n[]', 2, /the file must be one JSON array of templates/],
    ['a.json', '[{},\n\n"\n"]', 3, /this is not valid JSON/],
    ['a.json', Buffer.from('[{"a":"\xff"}]', 'latin1'), 1, /the file is not in UTF-8/],
    ['a.ndjson', Buffer.from('{}\n{}\n\xff\n', 'latin1'), 3, /the file is not in UTF-8/],
    ['a.ndjson', 'x'.repeat(2 ** 24 + 1), 1, /the line is longer than 16777216 characters/]
  ]
  for (const [file, text, line, message] of cases) {
    const size = text.length > 1000 ? 65_536 : 7
    const error = await readAll(file, text, size).then(
      () => undefined,
      error => error
    )
    t.ok(error instanceof FormatError, `${file}: ${String(text).slice(0, 30)}`)
    t.match(error?.message, message)
    t.equal(error?.line, line, error?.message)
  }
})

t.test('a byte that is not UTF-8 has its line in pieces of any size', async t => {
  const bytes = Buffer.concat([
    Buffer.from('{"a":"é"}\n{"b":"€😀"}\n{"c":"ü'),
    Buffer.from([0xe2, 0x82, 0x22, 0x7d])
  ])
  for (let size = 1; size <= bytes.length; size++) {
    const error = await readAll('a.ndjson', bytes, size).catch(error => error)
    t.match(error, { message: 'the file is not in UTF-8', line: 3 }, `by ${size}`)
  }
})
