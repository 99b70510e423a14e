// Runs on SQLite only, in test:all only: tables.test.ts imports tables on both engines.
/** CSV as spreadsheets of different countries save it. */
import { t } from 'tap'
import { defaultValues } from '../../../../domain/columns.ts'
import { emptyStore } from '../../../../test/cli/import-files.ts'
import { runInside } from '../../../../test/cli/inside.ts'

const text = (to: string) => ({ to, as: 'text' })

t.test('an 8-bit text: the assumed encoding is named, and another may be given', async t => {
  const store = await emptyStore(t)
  const columns = { name: text('name'), kind: text('trait:Kind') }
  const mapping = await store.write('m.json', JSON.stringify({ columns, defaults: defaultValues, key: null }))
  const importBytes = async (bytes: Uint8Array, ...words: string[]) => {
    const file = await store.write('a.csv', bytes)
    const { code, stderr } = await runInside(t, ['import', file, '--mapping', mapping, ...words], store.env)
    return { code, stderr, name: (await store.templates()).at(-1)?.name }
  }
  const withName = (...name: number[]) =>
    Buffer.concat([Buffer.from('name,kind\n'), Buffer.from(name), Buffer.from(',x\n')])
  const table = withName(0xd1, 0xf2, 0xee, 0xeb)
  const assumed = await importBytes(table)
  t.match(assumed, { code: 0, name: 'Ñòîë' })
  t.match(assumed.stderr, /a\.csv: the text is not in UTF-8, so windows-1252 was assumed.*--encoding/)
  const cases: [bytes: Uint8Array, encoding: string, name: string][] = [
    [table, 'windows-1251', 'Стол'],
    [withName(0xf3, 0xd4, 0xcf, 0xcc), 'koi8-r', 'Стол'],
    [withName(0xb9, 0xf3, 0xb3, 0xe6), 'cp1250', 'ąółć'],
    [withName(0xb1, 0xe6), 'iso-8859-2', 'ąć'],
    [withName(0xe1, 0xeb, 0xf6, 0xe1), 'windows-1253', 'αλφα'],
    [withName(0x8a, 0xc4), 'macintosh', 'äƒ'],
    [withName(0x93, 0xfa, 0x96, 0x7b), 'Shift_JIS', '日本'],
    [withName(0xc4, 0xe3), 'gbk', '你'],
    [Buffer.from('name,kind\nÖl,x\n', 'utf16le'), 'utf-16le', 'Öl'],
    [Buffer.from('\ufeffname,kind\nÖl,x\n', 'utf16le'), 'windows-1251', 'Öl'],
    [Buffer.from('\ufeffname,kind\nÖl,x\n'), 'windows-1251', 'Öl']
  ]
  for (const [bytes, encoding, name] of cases) {
    const found = await importBytes(bytes, '--encoding', encoding)
    t.match(found, { code: 0, name }, encoding)
    t.notMatch(found.stderr, /assumed/)
  }
  const undefinedByte = Buffer.concat([
    Buffer.from('name,kind\nA,x\nB'),
    Buffer.from([0x81]),
    Buffer.from(',x\n')
  ])
  t.match(await importBytes(undefinedByte), {
    code: 1,
    stderr: /a\.csv:3: the file has a byte that windows-1252 does not define/
  })
  t.match(await importBytes(undefinedByte, '--encoding', 'windows-1253'), {
    code: 1,
    stderr: /a\.csv:3: the file (?:has a byte that windows-1253 does not define|is not in WINDOWS-1253)/
  })
  t.match(await importBytes(table, '--encoding', 'utf-8'), {
    code: 1,
    stderr: /a\.csv:2: the file is not in UTF-8/
  })
  t.match(await importBytes(table, '--encoding', 'windows-9999'), {
    code: 2,
    stderr: /--encoding must be the name of an encoding, such as windows-1251/
  })
  const json = await store.write('a.json', '[]')
  t.match(await runInside(t, ['import', json, '--encoding', 'utf-8'], store.env), {
    code: 2,
    stderr: /a\.json is not CSV: --encoding is for CSV/
  })
})

t.test('an export that a spreadsheet of another country has saved again', async t => {
  const store = await emptyStore(t)
  const words = [
    ['TRUE', 'FALSE'],
    ['WAHR', 'FALSCH'],
    ['VRAI', 'FAUX'],
    ['VERDADERO', 'FALSO'],
    ['VERDADEIRO', 'FALSO'],
    ['VERO', 'FALSO']
  ]
  const rows = words.flat().map((word, at) => `${at};n;1;1;${word};C;${word};"""${word}""";`)
  const header = 'id;name;maxItems;blockchainId;publicProduct;componentName;trait:EmailOptional;trait:Word;'
  const file = await store.write('saved.csv', `\ufeff${[header, ...rows].join('\r\n')}\r\n`)
  t.match(await runInside(t, ['import', file], store.env), { code: 0, stderr: /12 new/ })
  const templates = await store.templates()
  const values = templates.map(({ data }) =>
    JSON.parse(data).attributes.map(({ value }: { value: unknown }) => value)
  )
  t.same(
    templates.map(({ publicProduct }) => publicProduct),
    words.flatMap(() => [true, false])
  )
  t.same(
    values,
    words.flatMap(([yes, no]) => [
      [true, yes],
      [false, no]
    ]),
    'a text in quotes stays one'
  )
  const exported = store.path('out.csv')
  t.equal((await runInside(t, ['export', exported], store.env)).code, 0)
  t.match((await runInside(t, ['import', exported, '--replace'], store.env)).stderr, /0 new, 12 unchanged/)
  const unnamed = await store.write('unnamed.csv', `${header}\n1;n;1;1;WAHR;C;WAHR;x;y\n`)
  t.match(await runInside(t, ['import', unnamed, '--replace'], store.env), {
    code: 1,
    stderr: /unnamed\.csv:2: the row has a value in a column without a name/
  })
})

t.test('yes and no, also with accents as characters of their own', async t => {
  const store = await emptyStore(t)
  const columns = { name: text('name'), shown: { to: 'publicProduct', as: 'boolean' } }
  const mapping = await store.write('m.json', JSON.stringify({ columns, defaults: defaultValues, key: null }))
  const file = await store.write('shown.csv', 'name,shown\nMug,si\u0301\nJug,Na\u0303o\nPot,S\u00ed\n')
  t.match(await runInside(t, ['import', file, '--mapping', mapping], store.env), { code: 0 })
  t.same(
    (await store.templates()).map(({ publicProduct }) => publicProduct),
    [true, false, true]
  )
})

t.test('lists in the notations of spreadsheets', async t => {
  const store = await emptyStore(t)
  const lists: [cell: string, list: string[]][] = [
    ['oak, ash', ['oak', 'ash']],
    ['oak;ash, white', ['oak', 'ash, white']],
    ['oak\nash, white', ['oak', 'ash, white']],
    ['"Ash, white", oak', ['Ash, white', 'oak']],
    ['"Ash; white"; oak', ['Ash; white', 'oak']],
    ['"so ""called""", oak', ['so "called"', 'oak']],
    ['["oak","a, b"]', ['oak', 'a, b']],
    ['[1, 2.50, true]', ['1', '2.50', 'true']],
    ["['oak', 'ash']", ['oak', 'ash']],
    ['[oak, ash]', ['oak', 'ash']],
    ['1,5 m, 2,5 m', ['1,5 m', '2,5 m']],
    ['1,5 m; 2,5 m', ['1,5 m', '2,5 m']],
    ['1.250,50, 3', ['1.250,50', '3']],
    ['36,37,38', ['36', '37', '38']],
    ['24", 32"', ['24"', '32"']],
    [' oak ,, ash ;', ['oak ,, ash']],
    ['[new] oak, ash', ['[new] oak', 'ash']]
  ]
  const cells = lists.map(([cell], at) => `${at};n;"${cell.replaceAll('"', '""')}"`)
  const file = await store.write('lists.csv', `id;name;list\n${cells.join('\n')}\n`)
  const columns = {
    id: { to: 'id', as: 'number' },
    name: text('name'),
    list: { to: 'trait:List', as: 'list' }
  }
  const mapping = await store.write('m.json', JSON.stringify({ columns, defaults: defaultValues, key: 'id' }))
  t.match(await runInside(t, ['import', file, '--mapping', mapping], store.env), { code: 0 })
  for (const [at, { data }] of (await store.templates()).entries())
    t.same(JSON.parse(data).attributes[0].value, lists[at]?.[1], `${lists[at]?.[0]}`)
})

t.test('codes, errors, and rows without their last cells', async t => {
  const store = await emptyStore(t)
  const importTable = async (name: string, csv: string, ...words: string[]) => {
    const file = await store.write(name, csv)
    const mapping = store.path(`${name}.json`)
    const guessed = await runInside(t, ['import', file, '--mapping', mapping], store.env)
    if (guessed.code !== 0) return guessed
    return runInside(t, ['import', file, '--mapping', mapping, ...words], store.env)
  }
  t.match(await importTable('rows.csv', 'sku,title,postcode,note\n1,A,10115\n2,B,01067,\n3,C,04109,x'), {
    code: 0
  })
  const documents = (await store.templates()).map(({ data }) => JSON.parse(data))
  t.same(
    documents.map(({ attributes }) => attributes[0].value),
    ['10115', '01067', '04109']
  )
  for (const error of [
    '#N/A',
    '#NV',
    '#VALEUR!',
    '#¡REF!',
    '#RIF!',
    '#ÜBERLAUF!',
    '#GETTING_DATA',
    'Err:502'
  ])
    t.match(await importTable('errors.csv', `sku,title,size\n7,D,1\n8,E,${error}\n`), {
      code: 1,
      stderr: /errors\.csv:3 column size: has the error/
    })
  t.match(await importTable('quote.csv', 'sku,name,size\n5,Cup,9\n6,Set,24"\n'), {
    code: 1,
    stderr: /^product-templates: .*quote\.csv:3: a quote is out of place/
  })
  const columns = { sku: text('trait:Sku'), name: text('name'), size: text('trait:Size') }
  const mapping = await store.write('m.json', JSON.stringify({ columns, defaults: defaultValues, key: null }))
  t.match(await runInside(t, ['import', store.path('quote.csv'), '--mapping', mapping], store.env), {
    code: 1,
    stderr: /quote\.csv:3: a quote is out of place/
  })
})
