// Runs in test:all only.
/** The index is rebuilt by a command or in the background, whatever ends the processes that do it. */
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { checkAnswers } from '../db/templates/answers.ts'
import { staleStore } from '../db/templates/stale-store.ts'
import { awkwardTemplates } from '../graphql/reading/store.ts'
import { matches } from '../reference/filter.ts'
import { findCorruption } from '../support/database/database.ts'
import { accessToken, graphqlRequest } from '../support/http/http.ts'
import { run, serve, start } from '../support/service/process.ts'
import { addClient, addUser } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const templates = awkwardTemplates(3000)

t.test('a rebuild that is killed five times goes on where it was', async t => {
  const url = await staleStore(t, templates)
  const tenths: number[] = []
  // After the last of them, a fifth is left: the process must not end before the signal, however late that is.
  const kills = [1, 2, 4, 6, 8]
  for (const tenth of kills) {
    const reindexing = start(t, ['reindex'], { DATABASE_URL: url })
    await reindexing.line('stderr', new RegExp(`\\(${tenth}0 %\\)`))
    reindexing.child.kill('SIGKILL')
    const { signal, stderr } = await reindexing.ended
    t.equal(signal, 'SIGKILL', 'it was still at work')
    tenths.push(Number(stderr.match(/\((\d+)0 %\)/)?.[1]))
  }
  for (const [kill, first] of tenths.slice(1).entries())
    t.ok(first >= (kills[kill] as number), `from ${first} tenths on`)
  const { code, stderr } = await run(t, ['reindex'], { DATABASE_URL: url })
  t.equal(code, 0)
  t.match(
    stderr,
    /^Indexing: (2[4-9]|3)\d\d+ of 3000 .*\n(Indexing.*\n)*The index of templates is complete\.\n$/
  )
  const db = await openDatabase(url)
  await checkAnswers(t, db, templates)
  await db.destroy()
  t.same(await findCorruption(url), [])
})

t.test(
  'services rebuild it in the background: lists are answered, filters say when to come again',
  async t => {
    const url = await staleStore(t, templates)
    const env = { DATABASE_URL: url, PASSWORD_MEMORY: '7168' }
    const db = await openDatabase(url)
    await addUser(db)
    await addClient(db)
    await db.destroy()
    const where = { search: 'rare' }
    const totalCount = templates.filter(template => matches(template, where)).length
    const count = `{ products(where: { search: "${where.search}" }) { totalCount } }`
    const services = await Promise.all([serve(t, [], env), serve(t, [], env)])
    for (const service of services) {
      const token = await accessToken(service.url)
      const ask = (query: string) => graphqlRequest(service.url, token, { query, variables: {} })
      t.equal((await ask('{ allProducts { id } products { nodes { id } } }')).status, 200)
      const refusals: (string | null)[] = []
      await until(async () => {
        const { status, headers } = await ask(count)
        if (status === 503) refusals.push(headers.get('retry-after'))
        return status !== 503
      })
      t.same(await (await ask(count)).json(), { data: { products: { totalCount } } })
      t.ok(refusals.every(seconds => seconds === '1'))
      t.match(await service.line('stdout', /the index of templates is complete/), /"milliseconds":\d/)
    }
    const after = await openDatabase(url)
    await checkAnswers(t, after, templates)
    await after.destroy()
  }
)

t.test('a complete index is rebuilt when asked for; a database that is not there is exit code 2', async t => {
  const url = await staleStore(t, templates.slice(0, 120))
  for (const turn of ['first', 'second']) {
    const { code, stderr } = await run(t, ['reindex'], { DATABASE_URL: url })
    t.equal(code, 0, turn)
    t.match(stderr, /100 of 120/)
  }
  t.equal((await run(t, ['reindex'], { DATABASE_URL: 'sqlite:./nowhere.db' })).code, 2)
})
