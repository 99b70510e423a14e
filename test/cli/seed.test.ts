// Runs in test:all only.
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { databaseUrl, findCorruption, sqliteUrl } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { run, start, untilKilled } from '../support/service/process.ts'
import { runInside } from './inside.ts'

const count = 2000
t.test('a seed killed at any time leaves all data or nothing', async t => {
  for (const moment of [/\(10 %\)/, /\(50 %\)/, /\(90 %\)/, /\(100 %\)/]) {
    const url = await databaseUrl(t)
    const env = { DATABASE_URL: url, NODE_OPTIONS: untilKilled }
    const seeding = start(t, ['seed', '--load', `${count}`], env)
    await seeding.line('stderr', moment)
    seeding.child.kill('SIGKILL')
    t.notMatch((await seeding.ended).stderr, /^product-templates: /m, 'nothing else ended it')

    const db = await openDatabase(url)
    const templates = await db.selectFrom('product_template').select('id').execute()
    const users = await db.selectFrom('product_user').select('id').execute()
    await db.destroy()
    t.ok([0, count].includes(templates.length), `${templates.length} templates after ${moment}`)
    t.equal(users.length, templates.length === 0 ? 0 : 2)
    t.same(await findCorruption(url), [])

    if (templates.length === 0) {
      const again = await run(t, ['seed', '--load', '100'], { DATABASE_URL: url })
      t.equal(again.code, 0, 'the next one finds its place free')
    }
  }
})

onlyOn(
  'sqlite',
  'wrong usage exits with 2, a database that is not empty with 1, and nothing changes',
  async t => {
    const env = { DATABASE_URL: await databaseUrl(t) }
    for (const words of [
      [],
      ['--load'],
      ['--load', '0'],
      ['--load', '1.5'],
      ['--load', 'many'],
      ['--demo', '--load', '1'],
      ['x']
    ]) {
      t.equal((await runInside(t, ['seed', ...words], env)).code, 2, words.join(' '))
    }
    t.equal((await run(t, ['seed', '--demo'], env)).code, 0)
    const again = await run(t, ['seed', '--load', '10'], env)
    t.equal(again.code, 1)
    t.equal(again.stderr, 'product-templates: the database is not empty; nothing was changed\n')
  }
)

onlyOn('sqlite', 'a full disk is reported in one line and leaves the database unchanged', async t => {
  const env = { DATABASE_URL: await sqliteUrl(t) }
  t.equal((await run(t, ['migrate'], env)).code, 0)
  // In blocks of 512 bytes: files may grow to 4 MB.
  const { code, stderr } = await start(t, ['seed', '--load', '20000'], env, 'ulimit -f 8000').ended
  t.equal(code, 1)
  t.match(stderr, /\(10 %\)/, 'it had begun')
  t.match(stderr.trim().split('\n').at(-1), /^product-templates: SQLITE_(FULL|IOERR_WRITE): /)
  t.equal((await run(t, ['seed', '--demo'], env)).code, 0, 'nothing of it is left')
})
