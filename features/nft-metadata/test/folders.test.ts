// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** Folders of metadata go in to the byte, and come out as the endpoint returns them. */
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Test, t } from 'tap'
import { command as exporting } from '../../../cli/export.ts'
import { command as importing } from '../../../cli/import.ts'
import { productTemplates } from '../../../index.ts'
import { generateLoadTemplates } from '../../../seeds/load.ts'
import { CommandError, UsageError } from '../../../terminal/command.ts'
import { emptyStore, nastyTemplates } from '../../../test/cli/import-files.ts'
import { awkwardTemplates } from '../../../test/graphql/reading/store.ts'
import { run, runHere, start } from '../../../test/support/service/process.ts'
import { host } from '../../../test/support/service/service.ts'

const hex = (id: number) => id.toString(16).padStart(64, '0')

/** A database, and a folder with these files. */
async function storeWith(t: Test, files: Record<string, string | Uint8Array> = {}) {
  const store = await emptyStore(t)
  const folder = store.path('collection')
  await mkdir(folder)
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return { ...store, folder }
}

t.test('the bytes of each file are the data of a template', async t => {
  const long = JSON.stringify({ name: 'long', description: 'ü'.repeat(300_000) })
  const traits =
    '[{"display_type":"boost_number","trait_type":"a","value":40.5,"max_value":50},{"display_type":"date","trait_type":"b","value":1546360800}]'
  const files: Record<number, [file: string, name: string, data: string]> = {
    0: ['0', 'zero', '{"name":"zero"}'],
    2: ['2.json', 'two', `\r\n{ "name" :\t"two",\n"attributes":${traits} , "animation_url":"ipfs://x" }\n\n`],
    9: ['009.json', 'Ünï 🦊', '{"name":"Ünï \\ud83e\\udd8a","name2":1e400,"a":1.0,"a":2}'],
    10: ['10.json', '#10', '{"name":""}'],
    11: ['11.JSON', '#11', '{"name":17,"big":12345678901234567890}'],
    12: ['12', '#12', '[]'],
    13: ['13', '\uFFFDa\uFFFD', '{"name":"\\ud800a\\u0000"}'],
    14: ['14.json', '#14', 'null'],
    200: [`${hex(200)}.json`, 'hex', '{"name":"hex"}'],
    201: [hex(201).toUpperCase(), 'long', long],
    2147483647: ['2147483647.json', ' ', '{"name":" "}']
  }
  const entries = Object.values(files).toReversed()
  const store = await storeWith(
    t,
    Object.fromEntries(entries.map(([file, , data]) => [file, `${file.length % 2 ? '\uFEFF' : ''}${data}`]))
  )
  for (const name of ['_metadata.json', '.json', '-1.json', '1.5', '1.json.bak', `${hex(10)}0`])
    await writeFile(join(store.folder, name), '{}')
  await mkdir(join(store.folder, '3.json'))
  const empty = store.path('empty')
  await mkdir(empty)
  const { code, stderr } = await run(t, ['import', store.folder, empty], store.env)
  t.equal(code, 0)
  t.match(stderr, 'Ignored 7 entries whose names are not ids.\n')
  t.match(stderr, '2.json: warning: ')
  t.match(stderr, 'Imported templates: 11 new.\n')
  const templates = await store.templates()
  t.same(
    templates.map(({ id, name, data }) => [id, name, data]),
    Object.entries(files).map(([id, [, name, data]]) => [Number(id), name, data])
  )
  const own = { blockchainId: 1, maxItems: 1, publicProduct: true, componentName: 'DefaultProduct' }
  for (const template of templates) t.match(template, own)
  await writeFile(join(store.folder, '0'), '{"name":"zero" }')
  await writeFile(join(store.folder, '1.json'), '{}')
  const words = ['import', '--format', 'opensea', store.folder, '--replace', '--json']
  const replaced = await run(t, words, store.env)
  t.match(JSON.parse(replaced.stdout), { inserted: 1, replaced: 1, unchanged: 10, ignored: 7 })
  t.equal((await store.templates())[0]?.data, '{"name":"zero" }')
})

t.test('problems name the file; the other templates get the fields that metadata does not have', async t => {
  const store = await storeWith(t, {
    '1': '{"name":"first"}',
    '1.json': '{"name":"second"}',
    '2.json': '{\n  "name": "x"\n  "a": 1 }',
    '3.json': '',
    '4.json': Buffer.from('{"name":"\xff"}', 'latin1'),
    '8.json': '{"name":"last"}',
    '99999999999.json': '{}',
    [`${'f'.repeat(64)}.json`]: '{}'
  })
  await writeFile(store.path('secret.json'), '{"name":"secret"}')
  await symlink(store.path('secret.json'), join(store.folder, '6.json'))
  await writeFile(join(store.folder, '7.json'), '{}')
  await truncate(join(store.folder, '7.json'), 2 ** 23 + 1)
  const words = ['--private', '--max-items', '7', '--blockchain-id=-5', '--component', 'TrackingRecord']
  const { code, stderr } = await run(
    t,
    ['import', '--on-problem', 'skip', '--validation', 'off', store.folder, ...words],
    store.env
  )
  t.equal(code, 0)
  t.same(stderr.replaceAll(`${store.folder}/`, '').split('\n'), [
    '1.json: another record of this import has id 1 (/id)',
    '2.json:3:3: this is not valid JSON',
    '3.json:1: this is not valid JSON',
    '4.json: the file is not in UTF-8',
    '6.json: symbolic links are not followed',
    '7.json: the file is longer than 8388608 bytes',
    '99999999999.json: id must be an integer from 0 to 2147483647 (/id)',
    `${'f'.repeat(64)}.json: id must be an integer from 0 to 2147483647 (/id)`,
    'Imported templates: 2 new; 8 of 10 records have problems and were skipped.',
    ''
  ])
  const own = { blockchainId: -5, maxItems: 7, publicProduct: false, componentName: 'TrackingRecord' }
  const templates = await store.templates()
  t.match(templates, [
    { id: 1, name: 'first', ...own },
    { id: 8, name: 'last', ...own }
  ])
  t.equal(templates.length, 2)
})

t.test('the files of an export are what the endpoint returns', async t => {
  const store = await storeWith(t)
  const entries = Array.from({ length: 5000 }, (_, index) => ({
    trait_type: `T${index}`,
    value: '€🦊\ud800'
  }))
  const links = { image: '{ipfs_url}/bafyimage', external_url: 'ipfs://bafyurl/a', attributes: entries }
  const long = { ...nastyTemplates[0], id: 5001, publicProduct: true, data: JSON.stringify(links) }
  const nasty = nastyTemplates.map(template => ({ ...template, id: 2000 + template.id }))
  const templates = [...awkwardTemplates(60), ...nasty, long as (typeof nasty)[0]]
  await store.fill(templates)
  const env = { ...store.env, IPFS_GATEWAY: 'https://gateway.example.com/ipfs' }
  const exported = await run(t, ['export', store.folder], env)
  t.equal(exported.code, 0)
  const shown = templates.filter(({ publicProduct }) => publicProduct)
  const hidden = templates.length - shown.length
  t.match(exported.stderr, `Exported ${shown.length} templates; left out ${hidden} that are not public.\n`)
  t.same((await readdir(store.folder)).toSorted(), shown.map(({ id }) => `${id}.json`).toSorted())
  const app = host(t)
  await app.register(productTemplates, { database: env.DATABASE_URL, ipfsGateway: env.IPFS_GATEWAY })
  for (const { id } of shown) {
    const { rawPayload } = await app.inject(`/metadata/${id}.json`)
    t.ok(rawPayload.equals(await readFile(join(store.folder, `${id}.json`))), `${id}`)
  }
  t.match(
    await readFile(join(store.folder, '5001.json'), 'utf8'),
    '"https://gateway.example.com/ipfs/bafyimage"'
  )

  const again = runHere({ export: exporting }, ['export', store.folder], env)
  await t.rejects(again, { constructor: CommandError, message: /the folder .* is not empty/ })
  const since = ['--since', '2026-02-02T03:04:05.00001Z', '--format', 'opensea']
  const later = await run(t, ['export', store.path('later'), ...since, '--json'], env)
  const changed = templates.filter(({ timeModified }) => timeModified >= '2026-02-02T03:04:05.000010Z')
  const publicOnes = changed.filter(({ publicProduct }) => publicProduct)
  t.match(JSON.parse(later.stdout), {
    exported: publicOnes.length,
    notPublic: changed.length - publicOnes.length
  })
  t.equal((await readdir(store.path('later'))).length, publicOnes.length)
  t.same((await readdir(store.path('.'))).toSorted(), ['collection', 'later'])

  const second = await emptyStore(t)
  t.equal((await run(t, ['import', store.folder], second.env)).code, 0)
  for (const { id, data } of await second.templates())
    t.equal(data, await readFile(join(store.folder, `${id}.json`), 'utf8'))
})

t.test('an export that fails or is interrupted leaves nothing', async t => {
  const store = await storeWith(t)
  const big = JSON.stringify({ name: 'big', description: 'x'.repeat(100_000) })
  const load = [...generateLoadTemplates(3000)].map(template => ({ ...template, publicProduct: true }))
  await store.fill([...load, { ...(load[0] as (typeof load)[0]), id: 50_000, data: big }])
  const before = await stat(store.folder)
  const words = ['export', store.folder]
  const full = await start(t, words, store.env, 'ulimit -f 100; trap "" XFSZ').ended
  t.equal(full.code, 1)
  t.match(full.stderr, `product-templates: cannot write ${store.folder}: EFBIG`)
  t.same(await readdir(store.path('.')), ['collection'])
  const running = start(t, words, store.env)
  await running.line('stderr', /\([1-5]0 %\)/)
  // Again and again, as from a user who is in a hurry.
  const kill = setInterval(() => running.child.kill('SIGTERM'), 1)
  t.equal((await running.ended).signal, 'SIGTERM', 'it was still at work')
  clearInterval(kill)
  t.same(await readdir(store.path('.')), ['collection'])
  t.match(await stat(store.folder), { ino: before.ino, mode: before.mode })
  t.same(await readdir(store.folder), [])
})

t.test('wrong folders and options are wrong usage', async t => {
  const store = await storeWith(t)
  const out = store.folder
  const file = await store.write('a.ndjson', '')
  const commands = { import: importing, export: exporting }
  for (const [name, words, text] of [
    ['import', [store.path('.')], /no file in .* has an id as its name, such as 1\.json/],
    ['import', [file, '--format', 'opensea'], /a\.ndjson is not a folder/],
    ['import', [store.path('none'), '--format', 'opensea'], /cannot read .*none: ENOENT/],
    ['import', ['-', '--format', 'opensea'], /the format opensea needs a folder/],
    ['import', [file, out, '--private'], /only folders of metadata take --blockchain-id, --max-items/],
    ['import', [out, '--max-items', '0'], /--max-items must be an integer from 1 to 2147483647/],
    ['import', [out, '--max-items', '1e3'], /--max-items must be an integer/],
    ['import', [out, '--blockchain-id', '2147483648'], /--blockchain-id must be an integer from -2147483648/],
    ['import', [out, '--component', ' '], /--component must be the name of a component/],
    ['export', ['--format', 'opensea'], /the format opensea needs a folder/]
  ] as const) {
    const call = runHere(commands, [name, ...words], store.env)
    await t.rejects(call, { constructor: UsageError, message: text }, words.join(' '))
  }
})
