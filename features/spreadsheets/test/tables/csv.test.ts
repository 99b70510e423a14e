// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
/** A CSV file that was made or changed in a spreadsheet. */
import { parse } from 'csv-parse/sync'
import { t } from 'tap'
import { defaultValues, type ProductTemplate } from '../../../../domain/columns.ts'
import fc from '../../../../test/support/generated/fast-check.ts'
import { csv } from '../../formats.ts'
import { decodeText } from '../../tables/encoding.ts'

const template: ProductTemplate = {
  ...defaultValues,
  id: 1,
  blockchainId: 2,
  maxItems: 3,
  name: 'x',
  publicProduct: true,
  timeCreated: '2026-01-02T03:04:05.678901Z',
  timeModified: '2026-01-02T03:04:05.678901Z',
  data: ''
}

async function read(text: string) {
  const records = []
  for await (const record of csv.read(
    (async function* () {
      yield Buffer.from(text)
    })(),
    { find: async () => [] }
  ))
    records.push(record)
  return records as (Omit<(typeof records)[0], 'values'> & { values: Record<string, unknown> })[]
}

/** Exports a document, changes the text, and returns `data` as it is read. */
async function change(data: string, edit: (text: string) => string, withoutData = false): Promise<unknown> {
  async function* pages() {
    yield [{ ...template, data }]
  }
  let text = ''
  for await (const part of csv.write(pages, { withoutData })) text += part
  const edited = edit(text)
  if (edited === text && edit !== asItIs) throw new Error(`nothing was changed in ${text}`)
  return (await read(edited))[0]?.values.data
}
const asItIs = (text: string) => text

t.test('a changed cell changes the document and nothing else in it', async t => {
  const data = `{
  "own": 12345678901234567890,
  "description": "old",
  "attributes": [
    { "trait_type": "MadeIn", "value": "Peru", "note": 1.0 },
    { "trait_type": "MadeIn", "value": "Kenya" },
    { "trait_type": "Other" }
  ],
  "last": true
}`
  const indented = JSON.stringify(
    { description: 'old', attributes: [{ trait_type: 'MadeIn', value: 'Peru' }] },
    null,
    4
  )
  t.equal(await change(indented, text => text.replace('old,', 'new,')), indented.replace('old', 'new'))
  t.equal(
    await change(data, text => text.replace('old,', '"""7""",')),
    `{
  "own": 12345678901234567890,
  "description": "7",
  "attributes": [
    {
      "trait_type": "MadeIn",
      "value": "Peru",
      "note": 1.0
    },
    {
      "trait_type": "MadeIn",
      "value": "Kenya"
    },
    {
      "trait_type": "Other"
    }
  ],
  "last": true
}`
  )
  const compact =
    '{"description":"old","a":1.50,"attributes":[{"trait_type":"T","value":7},{"trait_type":"U","value":"u"}]}'
  for (const [from, to, wanted] of [
    [',7,u,', ',8,u,', compact.replace('7', '8')],
    [',7,u,', ',"[""a"",1]",u,', compact.replace('7', '["a",1]')],
    [',7,u,', ',FALSE,u,', compact.replace('7', 'false')],
    [',7,u,', ",'=1,u,", compact.replace('7', '"=1"')],
    [',7,u,', ',,u,', compact.replace('{"trait_type":"T","value":7},', '')],
    ['old', '', compact.replace('"description":"old",', '')],
    ['old', '007', compact.replace('old', '007')]
  ] as const) {
    t.equal(await change(compact, text => text.replace(from, to)), wanted, to)
  }
})

t.test('cells that a spreadsheet has written in its way change nothing', async t => {
  const data =
    '{ "component":"x", "description":"a\\r\\nb\\rc", "attributes":[{"trait_type":"EmailOptional","value":true}] }'
  const edits: ((text: string) => string)[] = [
    text => text.replaceAll('true', 'TRUE').replace('""value"":TRUE', '""value"":true'),
    text => `\uFEFF${text}`,
    text => text.replace('a\r\nb\rc', 'a\nb\nc'),
    text => text.replaceAll('\r\n', '\n'),
    text => `${text}${','.repeat(text.split('\r\n')[0]?.split(',').length ?? 1).slice(1)}\r\n\r\n`
  ]
  for (const edit of edits) t.equal(await change(data, edit), data)
})

t.test('no cell of an export runs as a formula', async t => {
  const texts = ['=1+1', '+1', '-x', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x', "'=1", "''=1"]
  const attributes = texts.map(text => ({ trait_type: text, value: text }))
  async function* pages() {
    yield [{ ...template, blockchainId: -5, name: '=x', data: JSON.stringify({ name: '-5', attributes }) }]
  }
  let text = ''
  for await (const part of csv.write(pages, {})) text += part
  const cells = parse(text).flat() as string[]
  t.same(
    cells.filter(cell => /^[=+\-@＝＋－＠\t\r\n]/.test(cell)),
    ['-5']
  )
  t.ok(texts.every(text => cells.includes(`'${text.replace(/^[\t\r\n](?==)/, "$&'")}`)))
  t.same((await read(text))[0]?.values.data, JSON.stringify({ name: '-5', attributes }))
})

t.test('no part of a cell runs as a formula where a spreadsheet splits at other delimiters', async t => {
  const dangerous = /^["']*[=+\-@＝＋－＠]/
  const word = fc.constantFrom(...'=+-@＝＋－＠;,\t\r\n\'"x5')
  const text = fc.array(word, { maxLength: 8 }).map(words => words.join(''))
  const document = fc.record({
    description: text,
    ';=1': text,
    type: text,
    value: fc.oneof(text, fc.array(text))
  })
  const isSafe = fc.asyncProperty(text, document, async (name, { type, value, ...keys }) => {
    const attributes = [
      { trait_type: type, value },
      { trait_type: `${type}\n=1`, value: 'x;=1+1' }
    ]
    const data = JSON.stringify({ ...keys, attributes })
    async function* pages() {
      yield [{ ...template, name: `n${name}`, data }]
    }
    let exported = ''
    for await (const part of csv.write(pages, {})) exported += part
    // As a program that reads another delimiter and knows no quotes.
    const cells = (parse(exported) as string[][]).flat()
    const parts = exported.split(/[;\t\r\n]/).map(part => part.replace(/^"*/, ''))
    const [record, ...others] = await read(exported)
    return (
      others.length === 0 &&
      record?.values.data === data &&
      record.values.name === `n${name}` &&
      !cells.some(cell => /^[=+\-@＝＋－＠\t\r\n]/.test(cell) && cell !== '-5') &&
      !parts.some(part => dangerous.test(part) && !part.startsWith("'"))
    )
  })
  await t.resolves(fc.assert(isSafe, { numRuns: 500 }))
})

t.test('the delimiter is told from the header', async t => {
  for (const delimiter of [',', ';', '\t']) {
    const header = ['"name"', '"trait:a,b;c,d,e,f\t"', 'publicProduct'].join(delimiter)
    const row = ['"a,b;c\t""d"""', 'x', 'true'].join(delimiter)
    const [record] = await read(`\n${header}\n${row}\n`)
    t.same(record?.values, {
      name: 'a,b;c\t"d"',
      publicProduct: true,
      data: '{"attributes":[{"trait_type":"a,b;c,d,e,f\\t","value":"x"}]}'
    })
  }
})

t.test('delimiters in the cells of an export do not matter', async t => {
  for (const delimiter of [';', '\t'])
    for (const count of [1, 50]) {
      const data = JSON.stringify({ description: `a${`${delimiter}a`.repeat(count)}`, attributes: [] })
      t.equal(await change(data, asItIs, true), data)
    }
})

t.test('without data, documents are built from their cells', async t => {
  const [record, empty] = await read(
    'id,trait:B,document.productId,trait:A,document.own\r\n4,"[""x""]",12,\'-y,"{""a"":[null]}"\r\n5,,,,\r\n'
  )
  t.same(record?.values, {
    id: 4,
    data: '{"productId":12,"own":{"a":[null]},"attributes":[{"trait_type":"B","value":["x"]},{"trait_type":"A","value":"-y"}]}'
  })
  t.same(empty?.values, { id: 5, data: '{"attributes":[]}' })
  for (const data of [
    '{"productId":"1","description":"=1","attributes":[{"trait_type":"A","value":""},{"trait_type":"B","value":[]}]}',
    '{"productId":1,"attributes":[{"trait_type":"A"},{"trait_type":"A","value":2}]}',
    '{"name":"null","attributes":[]}',
    '{"name":null,"attributes":[{"trait_type":"A","value":1.5}]}'
  ])
    t.equal(await change(data, asItIs, true), data)
  t.equal(await change('{}', asItIs, true), '{"attributes":[]}')
  t.equal(await change('', asItIs), undefined, 'data is missing')
})

t.test('a row that is too long or cut, or a cell that has no document, is a problem', async t => {
  const [long, short, text, good, cut] = await read(
    'id,document.name,data\n1,x,,y\n4,z\n2,x,"""text"""\n3,x,"{""name"":""x""}"\n5,z'
  )
  t.equal(long?.problems?.[0]?.message, 'the row has 4 cells and the header 3')
  t.same(short?.values, { id: 4, data: '{"name":"z","attributes":[]}' }, 'without its last empty cell')
  t.equal(cut?.problems?.[0]?.message, 'the file ends inside this row')
  t.equal(text?.problems?.[0]?.message, 'data is not a JSON object, so document.name must be empty')
  t.same(good?.values, { id: 3, data: '{"name":"x"}' })
})

t.test('every encoding is recognised in pieces of any size', async t => {
  const encodings = {
    latin1: ['1,cr\u00e9\u00e9', '\u00c4\u00d6\u00dc\u00c4\u00d6\n', 'a\n\u00e9\u00e8\u00e9'],
    utf8: ['1,cr\u00e9\u00e9', '\u4e2d\u6587,\u00e9\n', 'x\u{1f600}\u{1f600}'],
    utf16le: ['\ufeff1,cr\u00e9\u00e9', '\ufeff\u4e2d\u6587,\u00e9\n', 'a,b']
  } as const
  for (const [encoding, texts] of Object.entries(encodings))
    for (const text of texts)
      for (const size of [1, 2, 3, 5, 1000]) {
        const bytes = Buffer.from(text, encoding as BufferEncoding)
        async function* pieces() {
          for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
        }
        let read = ''
        for await (const part of decodeText(pieces())) read += part
        t.equal(read, text.replace('\ufeff', ''), `${encoding} by ${size}`)
      }
})
