/** Templates leave in files and come back; a file with problems changes nothing. */
import { readdir, readFile } from 'node:fs/promises'
import { t } from 'tap'
import { command as exporting } from '../../cli/export.ts'
import { command as importing } from '../../cli/import.ts'
import { defaultValues, fieldNames } from '../../domain/columns.ts'
import { openDatabase } from '../../features/database.ts'
import { generateLoadTemplates } from '../../seeds/load.ts'
import { demoTemplates } from '../../seeds/seed.ts'
import { UsageError } from '../../terminal/command.ts'
import { checkAnswers } from '../db/templates/answers.ts'
import { awkwardTemplates } from '../graphql/reading/store.ts'
import { engine, findCorruption } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { run, runHere, start, untilKilled } from '../support/service/process.ts'
import { checkUnchecked, emptyStore, nastyTemplates, toNdjson } from './import-files.ts'
import { runInside } from './inside.ts'

const template = {
  ...defaultValues,
  maxItems: 10,
  name: 'x',
  publicProduct: true,
  data: '{"attributes":[]}'
}

/** Formats do not know the engine. So PostgreSQL needs only one. */
const formats = engine === 'postgres' ? ['ndjson'] : ['json', 'ndjson']

t.test('what is exported and imported again is the same to the byte, in every format', async t => {
  const awkward = awkwardTemplates(250)
  const demo = demoTemplates.map((demo, index) => ({ ...demo, id: 1000 + index }))
  const nasty = nastyTemplates.map((nasty, index) => ({ ...nasty, id: 2000 + index }))
  const templates = [...awkward, ...demo, ...nasty]
  const first = await emptyStore(t)
  const source = await first.write('given.ndjson', toNdjson(templates.toReversed()))
  const { code, stderr } = await run(t, ['import', source], first.env)
  t.equal(code, 0)
  t.match(stderr, `Imported templates: ${templates.length} new.\n`)
  t.same(await first.templates(), templates)
  for (const format of formats) {
    const file = first.path(`all.${format}`)
    t.equal((await (format === 'json' ? run : runInside)(t, ['export', file], first.env)).code, 0)
    const second = await emptyStore(t)
    t.equal((await runInside(t, ['import', file], second.env)).code, 0)
    t.same(await second.templates(), templates, format)
    const db = await openDatabase(second.env.DATABASE_URL)
    await checkAnswers(t, db, templates, 'filters find them')
    await db.destroy()
  }
})

t.test('what is not JSON is imported only without checks, and is then the same to the byte', t =>
  checkUnchecked(t, formats)
)

onlyOn('sqlite', 'templates go through pipes', async t => {
  const store = await emptyStore(t)
  const text = nastyTemplates.map(template => `${JSON.stringify(template, fieldNames)}\n`).join('')
  t.equal((await run(t, ['import', '-'], store.env, text)).code, 0)
  const exported = await run(t, ['export'], store.env)
  t.equal(exported.stdout, text)
  t.match(
    exported.stdout,
    /^{"id":.*,"blockchainId":.*,"maxItems":.*,"name":.*,"publicProduct":.*,"componentName":.*,"timeCreated":.*,"timeModified":.*,"data":/
  )
  const array = await run(t, ['export', '-', '--format', 'json'], store.env)
  t.same(JSON.parse(array.stdout), nastyTemplates)
})

onlyOn('sqlite', 'an export whose reader has gone ends quietly', async t => {
  const store = await emptyStore(t)
  await store.fill([...generateLoadTemplates(2000)])
  const running = start(t, ['export'], store.env)
  running.child.stdout.once('data', () => running.child.stdout.destroy())
  const { code, stderr } = await running.ended
  t.equal(code, 0)
  t.notMatch(stderr, /EPIPE|Exported/)
})

t.test('ids and times may be absent, and a document may stand for data', async t => {
  const store = await emptyStore(t)
  const document = '{"name":"x","big":12345678901234567890,"n":1.0,"__proto__":{"a":"\\ud800"}}'
  const records = [
    JSON.stringify({ ...template, name: 'next' }),
    JSON.stringify({ ...template, id: 1, timeCreated: '2026-01-02T03:04:05.678901Z', timeModified: null }),
    JSON.stringify({ ...template, id: 0, data: undefined }).replace('}', `,"document":${document}}`),
    JSON.stringify({ ...template, id: null, name: 'last' })
  ]
  for (const [name, text] of [
    ['some.jsonl', `\uFEFF${records.join('\r\n\n')}`],
    ['some.json', `\uFEFF [\n${records.join('\n,')} ] \n`]
  ] as const) {
    const store = await emptyStore(t)
    const begin = new Date().toISOString()
    const { code, stderr } = await runInside(t, ['import', await store.write(name, text)], store.env)
    t.same([code, stderr.match(/4 new/)?.[0]], [0, '4 new'])
    const [zero, one, two, three] = await store.templates()
    t.equal(zero?.data, document)
    t.equal(one?.timeCreated, '2026-01-02T03:04:05.678901Z')
    t.equal(one?.timeModified, one?.timeCreated)
    t.same([two?.id, two?.name, three?.id, three?.name], [2, 'next', 3, 'last'])
    t.ok(two && two.timeCreated > begin && two.timeModified === two.timeCreated)
  }
  t.equal((await store.templates()).length, 0)
})

onlyOn('sqlite', 'a dry run reports every problem with its place, and writes nothing', async t => {
  const store = await emptyStore(t)
  await store.fill(demoTemplates.slice(1, 2))
  const wrong = toNdjson([
    { ...template, id: 4 },
    { ...template, id: 3 },
    { ...template, id: 4 },
    { ...template, id: -1, maxItems: 0, blockchainId: 1.5, publicProduct: 1 },
    { ...template, name: 'a\0b', data: '{', nmae: 'x', timeCreated: '2026-02-30T00:00:00.000000Z' },
    { ...template, data: undefined },
    { ...template, document: {} },
    { ...template, data: undefined, document: [] },
    7
  ])
  const file = await store.write('wrong.ndjson', `${wrong}\n{"id": 5,}\n`)
  const { code, stderr } = await runInside(t, ['import', '--dry-run', file], store.env)
  t.equal(code, 1)
  const lines = stderr.split('\n').filter(line => line.startsWith(file))
  t.same(
    lines.map(line => line.slice(file.length)),
    [
      ':3: another record of this import has id 4 (/id)',
      ':4: id must be an integer from 0 to 2147483647 (/id)',
      ':4: blockchainId must be an integer from -2147483648 to 2147483647 (/blockchainId)',
      ':4: maxItems must be an integer from 1 to 2147483647 (/maxItems)',
      ':4: publicProduct must be true or false (/publicProduct)',
      ':5: "nmae" is not a field: did you mean "name"? (/nmae)',
      ':5: name must not contain U+0000 or lone surrogates (/name)',
      ':5: timeCreated must be a UTC time such as 2026-01-31T09:30:00.000000Z (/timeCreated)',
      ':5: data must be JSON text (/data)',
      ':6: data is missing (/data)',
      ':7: give either data or document (/document)',
      ':8: document must be a JSON object (/document)',
      ':9: a template must be a JSON object',
      ':11:10: this is not valid JSON',
      ':2: a template with id 3 exists (/id)'
    ]
  )
  t.match(stderr, /9 of 10 records have problems; nothing was written/)
  t.same((await store.templates()).length, 1)
  const asJson = await runInside(t, ['import', '--dry-run', '--json', file], store.env)
  t.equal(asJson.code, 1)
  const { problems, ...counts } = JSON.parse(asJson.stdout)
  t.match(counts, { written: false, read: 10, inserted: 1, refused: 9 })
  t.same(problems.length, 15)
  t.same(problems[0], {
    file,
    line: 3,
    code: 'DUPLICATE_ID',
    message: 'another record of this import has id 4',
    path: ['id'],
    pointer: null,
    warning: false
  })
})

t.test('no mode of validation imports a document with more than 100 levels', async t => {
  const nested = (levels: number) =>
    `{"attributes":[],"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const files = {
    'data.ndjson': (levels: number) => toNdjson([{ ...template, data: nested(levels) }] as never),
    'document.json': (levels: number) => {
      const { data: _, ...fields } = template
      return JSON.stringify([{ ...fields, document: JSON.parse(nested(levels)) }])
    }
  }
  const store = await emptyStore(t)
  for (const [name, make] of Object.entries(files))
    for (const mode of ['off', 'warn', 'enforce']) {
      const file = await store.write(name, make(101))
      const { code, stderr } = await runInside(t, ['import', '--validation', mode, file], store.env)
      t.equal(code, 1, `${name}, ${mode}`)
      t.match(stderr, 'data has more than 100 levels')
      t.same(await store.templates(), [])
    }
  const file = await store.write('fits.ndjson', files['data.ndjson'](100))
  t.equal((await runInside(t, ['import', '--validation', 'off', file], store.env)).code, 0)
})

t.test('a problem in the middle leaves nothing, unless such templates are skipped', async t => {
  const templates = [...generateLoadTemplates(500)]
  const text = toNdjson(templates.toSpliced(250, 1, { ...(templates[250] as object), maxItems: 0 } as never))
  for (const [words, code, left] of [
    [[], 1, 0],
    [['--on-problem', 'skip'], 0, 499]
  ] as const) {
    const store = await emptyStore(t)
    const file = await store.write('some.ndjson', text)
    const ended = await runInside(t, ['import', file, ...words], store.env)
    t.equal(ended.code, code, words.join(' '))
    t.match(ended.stderr, 'some.ndjson:251: maxItems must be an integer from 1 to 2147483647 (/maxItems)')
    t.equal((await store.templates()).length, left)
  }
})

t.test('existing templates are kept or replaced, and their time moves on', async t => {
  const store = await emptyStore(t)
  const before = awkwardTemplates(300)
  await store.fill(before)
  const future = '2999-01-01T00:00:00.000000Z'
  const changed = before.map((old, index) => ({
    ...old,
    ...(index % 2
      ? {}
      : { data: (before[(index + 7) % 300] as { data: string }).data, name: 'amber oak new' }),
    timeModified: index === 0 ? future : undefined
  }))
  const added = { ...template, id: 1000 }
  const text = toNdjson([...changed, added])
  const kept = await runInside(t, ['import', '-', '--keep'], store.env, text)
  t.match(kept.stderr, 'Imported templates: 1 new, 300 kept.')
  const replaced = await runInside(t, ['import', '-', '--replace', '--json'], store.env, text)
  t.match(JSON.parse(replaced.stdout), {
    written: true,
    read: 301,
    inserted: 0,
    replaced: 150,
    unchanged: 151
  })
  const after = (await store.templates()).slice(0, -1)
  for (const [index, { timeModified, ...fields }] of after.entries()) {
    const { timeModified: given, ...wanted } = changed[index] as (typeof before)[0]
    t.same(fields, wanted)
    const old = (before[index] as (typeof before)[0]).timeModified
    if (index === 0) t.equal(timeModified, given)
    else t.ok(index % 2 ? timeModified === old : timeModified > old)
  }
  const db = await openDatabase(store.env.DATABASE_URL)
  await checkAnswers(t, db, [...after, ...(await store.templates()).slice(-1)])
  await db.destroy()
  // The clock is behind this time, so the time moves on by a microsecond.
  const next = await runInside(t, ['import', '-', '--replace'], store.env, toNdjson([{ ...template, id: 0 }]))
  t.equal(next.code, 0)
  t.equal((await store.templates())[0]?.timeModified, '2999-01-01T00:00:00.000001Z')
})

t.test('only templates modified since a time are exported', async t => {
  const store = await emptyStore(t)
  await store.fill(nastyTemplates)
  for (const [since, count] of [
    ['2026-02-02', nastyTemplates.length],
    ['2026-02-02T03:04:05.00001Z', nastyTemplates.length - 10]
  ] as const) {
    const { stdout } = await run(t, ['export', '--format', 'json', '--since', since], store.env)
    t.equal(JSON.parse(stdout).length, count, since)
  }
})

t.test('an import killed at any time leaves all or nothing', async t => {
  const templates = [...generateLoadTemplates(3000)]
  for (const moment of [/\([2-5]0 %\)/, /\(100 %\)/]) {
    const store = await emptyStore(t)
    const file = await store.write('many.ndjson', toNdjson(templates))
    const running = start(t, ['import', file], { ...store.env, NODE_OPTIONS: untilKilled })
    await running.line('stderr', moment)
    running.child.kill('SIGKILL')
    t.notMatch((await running.ended).stderr, /^product-templates: /m, 'nothing else ended it')
    const left = await store.templates()
    t.ok([0, templates.length].includes(left.length), `${left.length} after ${moment}`)
    t.same(await findCorruption(store.env.DATABASE_URL), [])
  }
})

onlyOn('sqlite', 'an export that fails leaves the file as it was', async t => {
  const store = await emptyStore(t)
  await store.fill([...generateLoadTemplates(1000)])
  const file = await store.write('all.ndjson', 'before')
  const { code, stderr } = await start(t, ['export', file], store.env, 'ulimit -f 1000; trap "" XFSZ').ended
  t.equal(code, 1)
  t.match(stderr.trim().split('\n').at(-1), `product-templates: cannot write ${file}: EFBIG`)
  t.equal(await readFile(file, 'utf8'), 'before')
  t.same(await readdir(store.path('.')), ['all.ndjson'], 'nothing else is left')
  const missing = await run(t, ['export', store.path('none/all.json')], store.env)
  t.same([missing.code, missing.stderr.includes('ENOENT')], [1, true])
})

onlyOn('sqlite', 'wrong usage exits with 2 and changes nothing', async t => {
  const store = await emptyStore(t)
  const file = await store.write('a.ndjson', toNdjson([{ ...template, id: 1 }]))
  t.equal((await run(t, ['import', file, '--keep', '--replace'], store.env)).code, 2)
  await store.write('a.txt', '')
  const commands = { import: importing, export: exporting }
  for (const [name, words, text] of [
    ['import', [], /missing required argument 'file'/],
    ['import', [file, '--keep', '--replace'], /--keep or --replace, not both/],
    [
      'import',
      [file, '--on-problem', 'ignore'],
      /argument 'ignore' is invalid. Allowed choices are stop, skip, report/
    ],
    [
      'import',
      [file, '--format', 'xml'],
      /argument 'xml' is invalid. Allowed choices are json, ndjson, .*opensea/
    ],
    ['import', [store.path('a.txt')], /does not tell its format: give --format/],
    ['import', [file, store.path('b.json')], /cannot read .*b\.json: ENOENT/],
    ['import', [store.path('b')], /cannot read .*b: ENOENT/],
    ['import', [store.path('a.txt/b.json')], /cannot read .*b\.json: ENOTDIR/],
    ['import', [store.path('.'), '--format', 'json'], /is a directory/],
    ['import', ['-', '-'], /give it only once/],
    ['export', ['a.json', 'b.json'], /too many arguments for 'export'/],
    ['export', ['--since', 'yesterday'], /--since takes a UTC time/],
    ['export', ['--since', '2026-02-30'], /--since takes a UTC time/],
    ['export', ['--json'], /--json needs a file/]
  ] as const) {
    const call = runHere(commands, [name, ...words], store.env)
    await t.rejects(call, { constructor: UsageError, message: text }, words.join(' '))
  }
  t.same(await store.templates(), [])
})
