/** Spreadsheets with columns of their own are imported by a mapping, and XLSX is what other programs read and write. */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { writeXlsx } from 'hucre/xlsx'
import readXlsx from 'read-excel-file/node'
import { t } from 'tap'
import { defaultValues } from '../../../domain/columns.ts'
import { emptyStore } from '../../../test/cli/import-files.ts'
import { runInside } from '../../../test/cli/inside.ts'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import { run } from '../../../test/support/service/process.ts'

/** The fields of a template that tables may lack. */
const template = { ...defaultValues, publicProduct: true }

const header = ['SKU', 'Title', 'Price EUR', 'Country', 'Photo 1', 'Size', 'Tags', 'Note', 'Edition']
const lamps = (count: number): string[][] =>
  Array.from({ length: count }, (_, index) => [
    String(10_001 + index),
    `Lámpara n.º ${index + 1}`,
    `${index},50`,
    index % 2 ? 'Perú' : 'Noruega',
    `https://example.com/lamp-${index}.jpg`,
    ['38', 'M', 'XL'][index % 3] as string,
    'hecho a mano; rojo',
    '',
    String(1 + index)
  ])
const toCsv = (rows: string[][], delimiter = ';'): string =>
  [header, ...rows].map(cells => cells.map(cell => `"${cell}"`).join(delimiter)).join('\r\n')

t.test('a mapping is guessed, and says what the columns become', async t => {
  const store = await emptyStore(t)
  // Windows-1252 has these letters in the places of Latin-1.
  const file = await store.write('spring.csv', Buffer.from(toCsv(lamps(150)), 'latin1'))
  const refused = await runInside(t, ['import', file], store.env)
  t.equal(refused.code, 1)
  t.match(
    refused.stderr,
    /spring\.csv:1 column SKU: a column must be a field.*for other columns, give --mapping/
  )

  const mapping = store.path('spring.json')
  const guessed = await run(t, ['import', file, '--mapping', mapping], store.env)
  t.equal(guessed.code, 0)
  t.match(guessed.stderr, /Nothing was imported: check the file, then import again\./)
  t.same(await store.templates(), [])
  const guess = JSON.parse(await readFile(mapping, 'utf8'))
  t.same(guess, {
    columns: {
      SKU: { to: 'document.productId', as: 'text' },
      Title: { to: 'name', as: 'text' },
      'Price EUR': { to: 'trait:Price EUR', as: 'money', notation: '1.234,5' },
      Country: { to: 'trait:MadeIn', as: 'text' },
      'Photo 1': { to: 'document.image', as: 'picture' },
      Size: { to: 'trait:Size', as: 'text' },
      Tags: { to: 'trait:FeaturesArray', as: 'list' },
      Note: null,
      Edition: { to: 'maxItems', as: 'number' }
    },
    defaults: defaultValues,
    key: 'productId'
  })
  t.match(await runInside(t, ['import', file, '--mapping', mapping], store.env), {
    code: 0,
    stderr: /Imported templates: 150 new\./
  })
  const [first] = await store.templates()
  t.match(first, { name: 'Lámpara n.º 1', maxItems: 1, publicProduct: false })
  t.same(JSON.parse(first?.data ?? ''), {
    productId: '10001',
    name: 'Lámpara n.º 1',
    description: '',
    external_url: '',
    image: 'https://example.com/lamp-0.jpg',
    component: 'DefaultProduct',
    attributes: [
      { trait_type: 'Price EUR', value: '0.50' },
      { trait_type: 'MadeIn', value: 'Noruega' },
      { trait_type: 'Size', value: '38' },
      { trait_type: 'FeaturesArray', value: ['hecho a mano', 'rojo'] }
    ]
  })

  // By a workbook, empty cells of which say nothing, and with one lamp more.
  const next = lamps(151)
  next[0] = (next[0] as string[]).with(2, '9,00').with(3, '')
  next[1] = (next[1] as string[]).with(2, '')
  const cells = next.map(row => row.with(8, Number(row[8]) as never))
  const workbook = await writeXlsx({
    sheets: [
      { name: 'x', rows: [] },
      { name: 'Lamps', rows: [header, ...cells] }
    ]
  })
  const summer = await store.write('summer.xlsx', workbook)
  const words = ['import', summer, '--mapping', mapping, '--sheet', 'Lamps']
  t.match((await runInside(t, words, store.env)).stderr, /a template with id 1 exists/)
  t.match((await runInside(t, [...words, '--keep', '--dry-run'], store.env)).stderr, /1 new, 150 kept/)
  t.match(await runInside(t, [...words, '--replace'], store.env), {
    code: 0,
    stderr: /Imported templates: 1 new, 1 replaced, 149 unchanged\./
  })
  t.match(JSON.parse((await store.templates())[0]?.data ?? '').attributes, [
    { value: '9.00' },
    { value: 'Noruega' }
  ])
})

onlyOn('sqlite', 'each wrong cell is reported with its column', async t => {
  const store = await emptyStore(t)
  const rows = lamps(30)
  const wrong: [row: number, column: number, cell: string, message: RegExp][] = [
    [3, 2, '2,5O', /:5 column Price EUR: must be a number, but has the letter O/],
    [4, 1, '', /:6 column Title: name is missing/],
    [5, 8, 'x', /:7 column Edition: must be a whole number/],
    [6, 8, '0', /:8 column Edition: maxItems must be an integer from 1/],
    [7, 0, '10003', /:9 column SKU: 10003 is in row 4, too/],
    [8, 2, 'zwölf', /:10 column Price EUR: must be a number/]
  ]
  for (const [row, column, cell] of wrong) rows[row] = (rows[row] as string[]).with(column, cell)
  const utf16 = Buffer.from(`\uFEFF${toCsv(rows, '\t')}`, 'utf16le')
  const file = await store.write('wrong.csv', utf16)
  const mapping = store.path('mapping.json')
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  const refused = await runInside(
    t,
    ['import', file, '--mapping', mapping, '--on-problem', 'report'],
    store.env
  )
  t.equal(refused.code, 1)
  for (const [, , , message] of wrong) t.match(refused.stderr, message)
  t.same(await store.templates(), [])
  const skipped = await runInside(
    t,
    ['import', file, '--mapping', mapping, '--on-problem', 'skip'],
    store.env
  )
  t.match(skipped.stderr, /Imported templates: 24 new/)
})

t.test('a key that several templates have is a problem; without a key, each row is new', async t => {
  const store = await emptyStore(t)
  const time = '2026-01-02T03:04:05.678901Z'
  await store.fill(
    [7, '7', '8'].map((productId, id) => {
      const data = JSON.stringify({ productId, attributes: [] })
      return { ...template, id, name: `n${id % 2}`, data, timeCreated: time, timeModified: time }
    })
  )
  const file = await store.write('a.csv', 'SKU,Title\n7,n0\n8,n1\n')
  const columns = { SKU: { to: 'document.productId', as: 'text' }, Title: { to: 'name', as: 'text' } }
  const importBy = async (key: string | null) => {
    const mapping = await store.write('m.json', JSON.stringify({ columns, defaults: template, key }))
    return runInside(t, ['import', file, '--mapping', mapping, '--replace', '--dry-run'], store.env)
  }
  t.match((await importBy('productId')).stderr, /a\.csv:2 column SKU: 2 templates have this productId/)
  t.match((await importBy('name')).stderr, /a\.csv:2 column Title: 2 templates have this name/)
  t.match((await importBy(null)).stderr, /2 new/)
  const [, documented = ''] =
    /```json\n(\{\n {2}"columns".*?)```/s.exec(await readFile('docs/spreadsheets.md', 'utf8')) ?? []
  const given = await store.write(
    'd.csv',
    'SKU,Title,Price,Since,Country,Internal note\n8,n1,"1.234,50 €",31.01.2026,Peru,\n'
  )
  const mapping = await store.write('d.json', documented)
  t.match(
    (await runInside(t, ['import', given, '--mapping', mapping, '--dry-run'], store.env)).stderr,
    /1 new/
  )
  t.match((await importBy('id')).stderr, /the key is id, but no column becomes id/)
})

t.test('a key that is in two files names the file and the row of the first', async t => {
  const store = await emptyStore(t)
  const columns = { SKU: { to: 'document.productId', as: 'text' }, Title: { to: 'name', as: 'text' } }
  const mapping = await store.write(
    'm.json',
    JSON.stringify({ columns, defaults: template, key: 'productId' })
  )
  const files = [
    await store.write('a.csv', 'SKU,Title\n6,n0\n7,n1\n'),
    await store.write('b.csv', 'SKU,Title\n7,n2\n')
  ]
  t.match(await runInside(t, ['import', ...files, '--mapping', mapping], store.env), {
    code: 1,
    stderr: /b\.csv:2 column SKU: 7 is in row 3 of \S*a\.csv, too/
  })
})

t.test('an id that is none is a problem of its row', async t => {
  const store = await emptyStore(t)
  const rest = '1,1,n,true,DefaultProduct,"{""attributes"":[]}"'
  const ids = ['abc', '99999999999', '-1', '1.5', '1e3', 'null', '7']
  const text = ids.map(id => `${id},${rest}\n`).join('')
  const file = await store.write(
    'a.csv',
    `id,blockchainId,maxItems,name,publicProduct,componentName,data\n${text}`
  )
  const { stderr } = await runInside(t, ['import', file, '--on-problem', 'report'], store.env)
  for (const line of [2, 3, 4, 5, 6]) t.match(stderr, new RegExp(`a\\.csv:${line} column id: id must be`))
  const columns = { id: { to: 'id', as: 'number' }, name: { to: 'name', as: 'text' } }
  const others = ['blockchainId', 'maxItems', 'publicProduct', 'componentName', 'data'].map(name => [
    name,
    null
  ])
  const mapping = await store.write(
    'm.json',
    JSON.stringify({ columns: { ...columns, ...Object.fromEntries(others) }, defaults: {}, key: 'id' })
  )
  const mapped = await runInside(
    t,
    ['import', file, '--mapping', mapping, '--on-problem', 'report'],
    store.env
  )
  t.match(mapped.stderr, /a\.csv:2 column id: must be a whole number/)
  t.match(mapped.stderr, /a\.csv:3 column id: id must be/)
})

onlyOn(
  'sqlite',
  'a title above the header is no header, nor is the line that names the delimiter',
  async t => {
    const store = await emptyStore(t)
    const guess = async (text: string) => {
      const file = await store.write('titled.csv', text)
      const path = store.path(`${Math.random()}.json`)
      const { code } = await runInside(t, ['import', file, '--mapping', path], store.env)
      t.equal(code, 0)
      return Object.keys(JSON.parse(await readFile(path, 'utf8')).columns)
    }
    const rows = 'Name;Preis, EUR\nLamp;1,5\nBowl;2,5\n'
    t.same(await guess(rows), ['Name', 'Preis, EUR'])
    t.same(await guess(`sep=;\n${rows}`), ['Name', 'Preis, EUR'])
    t.same(await guess(`Products of spring 2026\n\nfor the shop\n${rows}`), ['Name', 'Preis, EUR'])
    t.same(await guess('Name\nLamp\n"Bowl, red"\nDish,2\nCup\n'), ['Name'], 'a table of one column')
  }
)

onlyOn('sqlite', 'a mapping that is wrong says so', async t => {
  const store = await emptyStore(t)
  const file = await store.write('a.csv', 'SKU,Title\n7,n0\n')
  const sku = { to: 'trait:SKU', as: 'text' }
  const cases: [mapping: unknown, message: RegExp][] = [
    ['{', /m\.json is not valid JSON/],
    [{ columns: {}, key: null }, /defaults must be an object/],
    [{ columns: { SKU: { to: 'name' } }, defaults: {}, key: null }, /columns must be an object/],
    [
      { columns: { SKU: sku }, defaults: {}, key: null },
      /column Title: the mapping does not have this column/
    ],
    [
      { columns: { SKU: sku, Title: null, X: null }, defaults: {}, key: null },
      /column X: the mapping has this column/
    ],
    [
      { columns: { SKU: sku, Title: sku }, defaults: {}, key: null },
      /column Title: another column becomes the same/
    ],
    [
      { columns: { SKU: { ...sku, to: 'nmae' }, Title: null }, defaults: {}, key: null },
      /the column cannot become nmae/
    ]
  ]
  for (const [mapping, message] of cases) {
    const path = await store.write('m.json', typeof mapping === 'string' ? mapping : JSON.stringify(mapping))
    const { code, stderr } = await runInside(t, ['import', file, '--mapping', path], store.env)
    t.ok(code === 1 || code === 2)
    t.match(stderr, message)
  }
  const right = { columns: { SKU: sku, Title: { to: 'name', as: 'text' } }, defaults: template, key: null }
  const marked = await store.write('marked.json', `\uFEFF${JSON.stringify(right)}`)
  t.match(await runInside(t, ['import', file, '--mapping', marked], store.env), { code: 0 })
  t.match(await runInside(t, ['import', file, '--mapping', ''], store.env), {
    code: 2,
    stderr: /--mapping must be the path of a file/
  })
  t.match(await runInside(t, ['import', file, '--mapping', marked, '--sheet', 'x'], store.env), {
    code: 2,
    stderr: /a\.csv has no sheets/
  })
  const json = await store.write('a.json', '[]')
  t.match(await runInside(t, ['import', json, '--mapping', marked], store.env), {
    code: 2,
    stderr: /a\.json is not a table/
  })
  t.match(await runInside(t, ['import', json, '--mapping', store.path('new.json')], store.env), {
    code: 2,
    stderr: /a\.json is not a table/
  })
})

onlyOn('sqlite', 'an export as XLSX is read by another library', async t => {
  const store = await emptyStore(t)
  const file = await store.write('spring.csv', toCsv(lamps(3)))
  const mapping = store.path('spring.json')
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  const exported = store.path('out.xlsx')
  t.equal((await runInside(t, ['export', exported, '--no-data'], store.env)).code, 0)
  const [sheet] = await readXlsx(exported)
  t.equal(sheet?.sheet, 'Templates')
  const [names = [], first = []] = sheet?.data ?? []
  t.match(Object.fromEntries(names.map((name, index) => [name, first[index]])), {
    id: 1,
    name: 'Lámpara n.º 1',
    maxItems: 1,
    'document.productId': '"10001"',
    'trait:Price EUR': '0.50',
    'trait:Size': '"38"'
  })
  t.match((await runInside(t, ['import', exported, '--replace'], store.env)).stderr, /0 new, 3 unchanged/)
})

onlyOn('sqlite', 'an export as XLSX is complete or not there', async t => {
  const store = await emptyStore(t)
  const time = '2026-01-02T03:04:05.678901Z'
  const data = JSON.stringify({ one: 'x'.repeat(20_000), two: 'x'.repeat(20_000) })
  await store.fill([{ ...template, name: 'x', id: 1, data, timeCreated: time, timeModified: time }])
  const file = store.path('out.xlsx')
  const { code, stderr } = await runInside(t, ['export', file], store.env)
  t.equal(code, 1)
  t.match(stderr, /a cell of data has more than the 32767 characters of XLSX: export CSV, or without data/)
  t.same(readdirSync(dirname(file)), [])
  t.equal((await runInside(t, ['export', file, '--no-data'], store.env)).code, 0)
  t.match((await runInside(t, ['import', file, '--replace'], store.env)).stderr, /0 new, 1 unchanged/)
})

onlyOn('sqlite', 'values of cells: formulas as computed, dates as ISO 8601, numbers as shown', async t => {
  const store = await emptyStore(t)
  const workbook = await writeXlsx({
    sheets: [
      {
        name: 'x',
        rows: [
          [
            'name',
            'trait:Day',
            'trait:Time',
            'trait:Sum',
            'trait:Half',
            'trait:Yes',
            'maxItems',
            'blockchainId'
          ],
          ['a', new Date('2026-01-31'), new Date('2026-01-31T09:30:00Z'), null, 0.1 + 0.2, true, 12, 1]
        ],
        cells: new Map([['1,3', { value: 42, formula: '40+2', formulaResult: 42 }]])
      }
    ]
  })
  const file = await store.write('cells.xlsx', workbook)
  const mapping = store.path('m.json')
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  const [template] = await store.templates()
  t.same(
    JSON.parse(template?.data ?? '').attributes.map(({ value }: { value: unknown }) => value),
    ['2026-01-31', '2026-01-31T09:30:00', 42, '0.3', true]
  )
})

/** A ZIP file with one packed entry, which says that it has `declared` bytes. */
function zip(name: string, packed: Buffer, declared: number): Buffer {
  const field = (size: 2 | 4, ...values: number[]) => {
    const bytes = Buffer.alloc(size * values.length)
    for (const [at, value] of values.entries())
      size === 2 ? bytes.writeUInt16LE(value, at * 2) : bytes.writeUInt32LE(value, at * 4)
    return bytes
  }
  const sizes = Buffer.concat([field(4, 0, packed.length, declared), field(2, name.length, 0)])
  const common = Buffer.concat([field(2, 20, 0, 8, 0, 0), sizes])
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
  const entry = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\0'),
    common,
    field(2, 0, 0, 0),
    field(4, 0, 0),
    Buffer.from(name)
  ])
  const end = Buffer.concat([
    Buffer.from('PK\x05\x06'),
    field(2, 0, 0, 1, 1),
    field(4, entry.length, local.length),
    field(2, 0)
  ])
  return Buffer.concat([local, entry, end])
}

onlyOn('sqlite', 'a workbook that is damaged or too large when unpacked is refused', async t => {
  const store = await emptyStore(t)
  const size = 600 * 2 ** 20
  const bomb = deflateRawSync(Buffer.alloc(size, ' '), { level: 1 })
  const cases: [contents: Buffer, message: RegExp][] = [
    [zip('xl/workbook.xml', bomb, size), /more than 512 MiB when it is unpacked/],
    [zip('xl/workbook.xml', bomb, 0), /a part is larger than its stated size/],
    [zip('xl/workbook.xml', bomb, 1000), /the workbook cannot be read/],
    [zip('other.xml', deflateRawSync('<x/>'), 4), /the workbook cannot be read/],
    [Buffer.from('PK\x03\x04'), /the file is not an XLSX workbook/],
    [Buffer.alloc(0), /the file is not an XLSX workbook/]
  ]
  for (const [contents, message] of cases) {
    const file = await store.write('a.xlsx', contents)
    const { code, stderr } = await runInside(t, ['import', file], store.env)
    t.equal(code, 1)
    t.match(stderr, message)
  }
})

t.test('what a row does not say is neither lost nor given to another template', async t => {
  const store = await emptyStore(t)
  const time = '2026-01-02T03:04:05.678901Z'
  const stored = ['A', 'B'].map((productId, at) => ({
    ...template,
    id: 3 + at,
    name: `n${at}`,
    data: JSON.stringify({ productId, attributes: [{ trait_type: 'Color', value: 'red' }] }),
    timeCreated: time,
    timeModified: time
  }))
  await store.fill(stored)
  const text = (to: string) => ({ to, as: 'text' })
  const importRows = async (csv: string, columns: object, key: string, ...words: string[]) => {
    const file = await store.write('a.csv', csv)
    const mapping = await store.write('m.json', JSON.stringify({ columns, defaults: template, key }))
    return runInside(t, ['import', file, '--mapping', mapping, '--replace', ...words], store.env)
  }
  const byProduct = { SKU: text('document.productId'), Title: text('name') }
  const moved = await importRows(
    'ID,SKU,Title\n3,B,x\n',
    { ID: { to: 'id', as: 'number' }, ...byProduct },
    'productId'
  )
  t.match(moved.stderr, /a\.csv:2 column SKU: the template with this productId has another id/)
  const empty = { SKU: text('document.productId'), Color: { to: 'trait:Color', as: 'value' } }
  t.match((await importRows('SKU,Color\nB,\n', empty, 'productId')).stderr, /1 unchanged/)
  t.same(await store.templates(), stored)

  const guess = store.path('guess.json')
  const exported = await store.write('g.csv', 'id,name,trait:Color,Weight\n4,n1,green,12\n')
  await runInside(t, ['import', exported, '--mapping', guess], store.env)
  t.equal(JSON.parse(await readFile(guess, 'utf8')).key, 'id')
  t.match(
    (await runInside(t, ['import', exported, '--mapping', guess, '--replace'], store.env)).stderr,
    /1 replaced/
  )
  t.match((await store.templates())[1], {
    publicProduct: true,
    data: /"productId":"B".*"green".*"Weight","value":12/
  })

  const mapping = await store.write(
    't.json',
    JSON.stringify({ columns: byProduct, defaults: template, key: 'productId' })
  )
  const latin = Buffer.from('SKU,Title\n556,caf\xe9', 'latin1')
  await runInside(t, ['import', await store.write('l.csv', latin), '--mapping', mapping], store.env)
  t.equal((await store.templates()).at(-1)?.name, 'café')
})

t.test('imports by a product id at once create each product once', async t => {
  const store = await emptyStore(t)
  const file = await store.write('a.csv', toCsv(lamps(300)))
  const mapping = store.path('m.json')
  await runInside(t, ['import', file, '--mapping', mapping], store.env)
  const words = ['import', file, '--mapping', mapping, '--keep']
  await Promise.all([run(t, words, store.env), run(t, words, store.env)])
  t.equal((await store.templates()).length, 300)
})
