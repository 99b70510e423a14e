// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
/** The commands `template …`: a look at the templates and their history without GraphQL. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from 'tap'
import { defaultValues } from '../../domain/columns.ts'
import { openDatabase, templates, users } from '../../store.ts'
import { directory, migratedUrl } from '../support/database/database.ts'
import { run } from '../support/service/process.ts'
import { runInside } from './inside.ts'

t.test('a template is listed, shown, compared and restored', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  const values = {
    ...defaultValues,
    maxItems: 5,
    name: 'Lamp',
    publicProduct: true,
    data: '{ "name":"Lamp" }'
  }
  const author = { subject: null, clientId: null, message: 'first' }
  await templates.create(db, { ...values, id: 0 }, { author })
  await templates.update(db, 0, { data: '{"name":"Torch"}' })
  await templates.create(db, { ...values, id: 1, name: 'a\u001b[2Jb\nc' })
  await db.destroy()
  const env = { DATABASE_URL: url }
  const template = (...words: string[]) => runInside(t, ['template', ...words], env)
  const start = (...words: string[]) => run(t, ['template', ...words], env)

  t.match((await start('list', '--search', 'lamp')).stdout, /^id .*\n0 +Lamp +DefaultProduct +true /)
  t.match((await template('list')).stdout, /\n1 +a\u{FFFD}\[2Jb\u{FFFD}c /u, 'no control characters')
  t.match(JSON.parse((await template('list', '--search', 'lamp', '--json')).stdout), [
    { id: 0, data: '{"name":"Torch"}' }
  ])
  t.match(JSON.parse((await template('show', '0')).stdout), { id: 0, revision: 2, name: 'Lamp' })
  t.equal((await start('show', '0', '--revision', '1', '--data')).stdout, values.data)
  t.match((await start('history', '0')).stdout, /\n2 +UPDATE .*\n1 +CREATE .* first\n$/)
  t.match((await start('diff', '0', '1', '2')).stdout, /^- {4}"name": "Lamp"\n\+ {4}"name": "Torch"$/m)
  t.same(JSON.parse((await template('diff', '0', '1', '2', '--json')).stdout), [
    { op: 'replace', path: '/document/name', value: 'Torch' }
  ])
  t.match((await start('restore', '0', '1', '--message', 'back')).stderr, /as revision 3/)
  for (const number of ['1', '3'])
    t.equal(
      (await template('restore', '0', number)).stderr,
      `Template 0 already equals revision ${number}.\n`
    )
  t.equal((await start('show', '0', '--data')).stdout, values.data)
  t.match(JSON.parse((await template('history', '0', '--json')).stdout), [
    { number: 3, action: 'RESTORE', message: 'back' }
  ])

  for (const [words, code, message] of [
    [['show', '7'], 1, 'there is no template 7'],
    [['show', '0', '--revision', '9'], 1, 'there is no template 0, revision 9'],
    [['show', '0', '--revision', ''], 2, '--revision must be an integer from 0 to 2147483647'],
    [['show', 'x'], 2, '<id> must be an integer from 0 to 2147483647'],
    [['history', '7'], 1, 'there is no template 7'],
    [['diff', '0', '1', '9'], 1, 'there is no template 0, revision 9'],
    [['restore', '0', '9'], 1, 'the template has no such revision'],
    [['list', '--limit', '-1'], 2, /limit/]
  ] as const)
    t.match(await template(...words), { code, stderr: message })
})

t.test('no stored text changes the terminal', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  const name = 'a\u009b2J\u009dd\u007fe\u202ef\u2066g\u200fh\u061ci\u001bj'
  const document = { name: 'x', [name]: name, description: `${name}\r${name}` }
  const data = JSON.stringify(document)
  const values = { ...defaultValues, maxItems: 5, name, publicProduct: true, componentName: name }
  const author = { subject: null, clientId: null, message: name }
  await templates.create(db, { ...values, id: 0, data: '{"name":"x"}' }, { author })
  await templates.update(db, 0, { data }, { author })
  await users.add(db, { email: 'eve@example.com', password: 'pass' })
  // As plain SQL may write it.
  await db.updateTable('product_user').set({ first_name: name }).execute()
  await db.destroy()
  const file = join(await directory(t), 'wrong.ndjson')
  await writeFile(file, JSON.stringify({ [name]: 1 }))
  for (const words of [
    'template list',
    'template show 0',
    'template history 0',
    'template diff 0 1 2',
    'user list',
    'user show eve@example.com',
    `import ${file}`,
    `user show ${name}`,
    `user ${name}`,
    `user list --${name}`
  ])
    for (const json of [[], ['--json']]) {
      const { stdout, stderr } = await runInside(t, [...words.split(' '), ...json], { DATABASE_URL: url })
      t.match(stdout + stderr, /a(\u{FFFD}|\\u009b)2J/u, encodeURI(`${words} ${json}`))
      t.notMatch(
        stdout + stderr,
        /[^\P{Cc}\n]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u,
        encodeURI(`${words} ${json}`)
      )
    }
  const shown = await runInside(t, ['template', 'show', '0'], { DATABASE_URL: url })
  t.match(JSON.parse(shown.stdout), { name, data }, 'JSON has the same value')
})
