// Runs on SQLite only: import.test.ts writes to both engines.
/** What is read from a CSV file's text, in pieces of any size. */
import { t } from 'tap'
import { FormatError } from '../../../../domain/format-error.ts'
import { nastyTemplates } from '../../../../test/cli/import-files.ts'
import { csv } from '../../formats.ts'

/** Reads a text that arrives in pieces of `size` bytes. */
async function readAll(text: string | Uint8Array, size = 7) {
  const bytes = Buffer.from(text as string)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const records = []
  for await (const record of csv.read(pieces(), { find: async () => [] })) records.push(record)
  return records
}

const values = async (text: string, size?: number) => (await readAll(text, size)).map(({ values }) => values)

t.test('CSV is read in pieces of any size', async t => {
  async function* pages() {
    for (let start = 0; start < nastyTemplates.length; start += 4)
      yield nastyTemplates.slice(start, start + 4)
  }
  let text = ''
  for await (const part of csv.write(pages, {})) text += part
  t.notOk(text.includes('\0'))
  for (const size of [1, 2, 3, 17, 1000, 1_000_000])
    t.same(await values(`\uFEFF${text}`, size), nastyTemplates, `by ${size}`)
  t.same(await values(''), [])
})

t.test('records have their lines', async t => {
  const records = await readAll('\nid,name\r\n1,"a\r\nb"\r\n,\r\n2,c\n\n3,"d\n\ne"\n4,f')
  t.same(
    records.map(({ place }) => place.line),
    [3, 6, 8, 11]
  )
})

t.test('text that cannot be read says where', async t => {
  const cases: [text: string | Uint8Array, line: number, message: RegExp][] = [
    ['id,nmae\n1,x', 1, /a column must be a field, document.… or trait:…: did you mean name\?/],
    ['id;name;id\n', 1, /two columns have the same name/],
    ['id,name\n1,a"b\n', 2, /a quote is out of place/],
    ['id,name\n\n1,"a\nb', 3, /a quoted cell does not end/],
    [Buffer.concat([Buffer.from('id,name\n1,ü'), Buffer.from([0xff])]), 2, /the file is not in UTF-8/]
  ]
  for (const [text, line, message] of cases) {
    const error = await readAll(text).then(
      () => undefined,
      error => error
    )
    t.ok(error instanceof FormatError, String(text))
    t.match(error?.message, message)
    t.equal(error?.line, line, error?.message)
  }
})
