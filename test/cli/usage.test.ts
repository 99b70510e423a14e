// Runs on SQLite only.
/** What a command line may say; the engine makes no difference. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from 'tap'
import { directory, sqliteUrl } from '../support/database/database.ts'
import { needs } from '../support/programs.ts'
import { migrated, run, start } from '../support/service/process.ts'
import { secret } from '../support/service/secrets.ts'
import { runInside } from './inside.ts'

t.test('a failure is one line with exit code 1, wrong usage one with exit code 2', async t => {
  const env = await migrated(t)
  t.equal((await runInside(t, ['user', 'add', 'a@example.com'], env, secret('a'))).code, 0)
  t.equal((await runInside(t, ['client', 'add', 'shop'], env)).code, 0)
  const cases: [string[], number, RegExp][] = [
    [['user', 'add', 'A@example.com'], 1, /user A@example.com already exists/],
    [['user', 'passwd', 'b@example.com'], 1, /there is no user b@example.com/],
    [['user', 'disable', 'b@example.com'], 1, /there is no user/],
    [['client', 'add', 'shop'], 1, /client shop already exists/],
    [['client', 'secret', 'none'], 1, /there is no client none/],
    [['client', 'disable', 'none'], 1, /there is no client none/],
    [['client', 'show', 'none'], 1, /there is no client none/],
    [['client', 'set', 'none', '--scope', 'read'], 1, /there is no client none/],
    [['client', 'set', 'shop'], 2, /nothing to change/],
    [['client', 'delete', 'none'], 1, /there is no client none/],
    [['user', 'show', 'b@example.com'], 1, /there is no user b@example.com/],
    [['user', 'set', 'b@example.com', '--country', 'x'], 1, /there is no user b@example.com/],
    [['user', 'set', 'a@example.com'], 2, /nothing to change/],
    [['user', 'set', 'a@example.com', '--wallet', 'x', '--no-wallets'], 2, /not both/],
    [['user', 'delete', 'b@example.com'], 1, /there is no user b@example.com/],
    [['user', 'add', 'nobody'], 2, /email must be an e-mail address/],
    [['user', 'add'], 2, /missing required argument 'email'/],
    [['user', 'add', 'c@example.com', '--password', 'x'], 2, /unknown option '--password'/],
    [['client', 'add', 'a:b'], 2, /without a colon/],
    [
      ['client', 'add', 'x', '--scope', 'all'],
      2,
      /'--scope <scope>' argument 'all' is invalid. Allowed choices are read, write, profile/
    ],
    [['client', 'add', 'x', '--grant', 'implicit'], 2, /argument 'implicit' is invalid/],
    [['client', 'add', '2b0f7f9c-7a44-4c58-8c3d-5a4f9d1e7c11'], 2, /id must be .* not a UUID/],
    [['user', 'list', 'more'], 2, /too many arguments for 'list'/],
    [['user'], 2, /a command is missing/],
    [['user', 'lst'], 2, /unknown command 'lst': did you mean list\?/],
    [['sevre'], 2, /did you mean serve\?/],
    [['serve', '--databse-url=postgres://a:s3cr3t@b/c'], 2, /unknown option '--databse-url'\n$/],
    [['postgres://a:s3cr3t@b/c'], 2, /unknown command 'postgres'\n$/],
    [['user', 'list', '--jsn'], 2, /unknown option '--jsn': did you mean --json\?/],
    [['help', 'sevre'], 2, /did you mean serve\?/],
    [[], 2, /a command is missing/]
  ]
  for (const [index, [words, code, text]] of cases.entries()) {
    // The first is a failure, the last wrong usage.
    const isAlone = index === 0 || index === cases.length - 1
    const ended = await (isAlone ? run : runInside)(t, words, env, secret('a'))
    t.equal(ended.code, code, words.join(' '))
    t.match(ended.stderr, text)
    t.equal(ended.stdout, '')
  }
  t.equal((await runInside(t, ['user', 'add', 'c@example.com'], env, '')).code, 2, 'an empty password')
  const list = JSON.parse((await runInside(t, ['user', 'list', '--json'], env)).stdout)
  t.equal(list.length, 1)
})

t.test('an overlong password or e-mail address is reported in one line', async t => {
  const env = await migrated(t)
  const mail = `${'x'.repeat(310)}@example.com`
  for (const [words, password, about] of [
    [['user', 'add', mail], secret('new'), 'user: email must be an e-mail address of at most 320 characters'],
    [['user', 'add', 'eve@example.com'], secret('x'.repeat(2000)), 'a password must have 1 to 1024 bytes']
  ] as const) {
    const { code, stderr } = await runInside(t, [...words], env, password)
    t.same([code, stderr], [2, `product-templates: ${about}\n`])
  }
  t.equal((await runInside(t, ['user', 'add', 'eve@example.com'], env, secret('new'))).code, 0)
  const changed = await runInside(t, ['user', 'passwd', 'eve@example.com'], env, secret('é'.repeat(600)))
  t.same([changed.code, changed.stderr], [2, 'product-templates: a password must have 1 to 1024 bytes\n'])
})

t.test('a password that is short or easy to guess is refused, and nothing is added', async t => {
  const env = await migrated(t)
  const guessable = /^product-templates: the password is easy to guess: .*\n$/
  for (const [password, about] of [
    ['pässwörter!', /^product-templates: a password must have at least 12 characters\n$/],
    ['password1234', guessable],
    ['demo-password', guessable],
    ['Adams1234567', guessable],
    ['eve@example.com1', guessable]
  ] as const) {
    const words = ['user', 'add', 'eve@example.com', '--last-name', 'Adams']
    const { code, stderr } = await runInside(t, words, env, password)
    t.equal(code, 2, password)
    t.match(stderr, about)
  }
  t.equal((await runInside(t, ['user', 'add', 'eve@example.com'], env, secret('eve'))).code, 0)
  t.match(
    (await runInside(t, ['user', 'passwd', 'eve@example.com'], env, 'eve@example.com1')).stderr,
    guessable
  )
})

t.test('account commands require an existing database', async t => {
  const env = { DATABASE_URL: await sqliteUrl(t) }
  for (const words of [
    ['user', 'list'],
    ['client', 'list'],
    ['user', 'add', 'a@example.com']
  ]) {
    const { code, stderr } = await runInside(t, words, env, 'pw')
    t.equal(code, 2)
    t.match(stderr, /the file does not exist/)
  }
})

t.test('an empty URL, such as an unset variable of a script, is no database to copy', async t => {
  const [folder, { DATABASE_URL }] = [await directory(t), await migrated(t)]
  for (const words of [
    [DATABASE_URL, ''],
    ['', DATABASE_URL],
    ['--from', DATABASE_URL, '--to', '']
  ]) {
    const { code, stderr } = await start(t, ['copy', ...words], {}, `cd ${folder}`).ended
    t.equal(code, 2)
    t.match(stderr, /^product-templates: .*the (source|target) database must be/)
    t.same(await readdir(folder), [], 'the default database is not created')
  }
})

t.test('health does not ask another port if the file of the settings cannot be read', async t => {
  const { code, stderr } = await runInside(t, ['health'], { CONFIG_FILE: join(await directory(t), 'none') })
  t.equal(code, 2)
  t.match(stderr, /CONFIG_FILE cannot be read \(ENOENT\)/)
})

t.test('an error of the system is one line, which names the file', needs('Linux'), async t => {
  const [env, folder] = [await migrated(t), await directory(t)]
  t.match(await runInside(t, ['export', '--format', 'ndjson', folder], env), {
    code: 1,
    stderr: `product-templates: cannot write ${folder}: EISDIR\n`
  })
  t.match(await runInside(t, ['import', '--format', 'ndjson', '/proc/self/mem'], env), {
    code: 1,
    stderr: 'product-templates: EIO: i/o error, read\n'
  })
})

t.test('every command has a help, by --help and by help', async t => {
  const { code, stdout } = await run(t, ['--help'])
  t.equal(code, 0)
  t.equal((await run(t, ['help'])).stdout, stdout)
  for (const name of ['serve', 'user', 'keys']) t.match(stdout, new RegExp(`^  ${name} `, 'm'))
  t.match((await run(t, ['help', 'user'])).stdout, /^ {2}passwd \[options\] <email> {2,}Change the password/m)
  t.match(
    (await run(t, ['help', 'migrate', 'now'])).stdout,
    /^Usage: product-templates migrate/,
    'it runs nothing'
  )
  const help = await run(t, ['help', 'serve'])
  t.equal((await run(t, ['serve', '--help'])).stdout, help.stdout)
  t.match(help.stdout, /^Usage: product-templates serve \[options\]$/m)
  t.match(help.stdout, /--port <number> +port to listen on; /)
  t.notMatch(help.stdout, /--key-encryption-secret </, 'others can read a command line')
  for (const flag of ['-v', '--version']) t.match((await run(t, [flag])).stdout, /^\d+\.\d+\.\d+\n$/)
})

t.test('help and wrong usage start at once: they load only what reads and writes the terminal', async t => {
  const NODE_OPTIONS = `--import=${new URL('loaded-packages.ts', import.meta.url).pathname}`
  for (const words of [['--help'], ['user', 'lst']]) {
    const { stderr } = await run(t, words, { NODE_OPTIONS })
    const loaded: string[] = JSON.parse(stderr.slice(stderr.lastIndexOf('[')))
    t.ok(loaded.includes('commander'))
    t.same(
      loaded.filter(name => !/^(commander|leven|sisteransi|@clack\/.*|fast-(string|wrap).*)$/.test(name)),
      [],
      words.join(' ')
    )
  }
})

t.test('a reader that ends early, such as head, is no failure', async t => {
  const { child, ended } = start(t, ['serve', '--help'])
  child.stdout.destroy()
  const { code, stderr } = await ended
  t.same([code, stderr], [0, ''])
})

t.test('a full disk behind standard output is reported without a stack', async t => {
  const env = await migrated(t)
  await run(t, ['seed', '--demo'], env)
  for (const words of [['export'], ['template', 'list'], ['config']]) {
    const { code, stderr } = await start(t, words, env, 'exec >/dev/full').ended
    t.equal(code, 1)
    t.match(stderr, /^(Exporting.*\n)?product-templates: cannot write standard output: ENOSPC\n$/)
  }
})

t.test('a job goes on if nobody can read its messages', async t => {
  const env = await migrated(t)
  await run(t, ['seed', '--demo'], env)
  const file = join(await directory(t), 'templates.ndjson')
  const full = (words: string[]) => start(t, words, env, 'exec 2>/dev/full').ended
  t.match(await full(['export', file]), { code: 0 })
  t.match(await full(['import', file, '--replace']), { code: 0 })
  const copy = file.replace('templates.', 'copy.')
  const closed = start(t, ['export', copy], env)
  closed.child.stderr.destroy()
  t.match(await closed.ended, { code: 0 })
  t.equal(await readFile(copy, 'utf8'), await readFile(file, 'utf8'))
})
