import { type KyselyPlugin, sql } from 'kysely'
import { t } from 'tap'
import { readStoreStatistics } from '../../../db/templates/statistics.ts'
import { ensureIndexed } from '../../../db/templates/template-index/state.ts'
import { openDatabase } from '../../../index.ts'
import { databaseUrl, migratedUrl } from '../../support/database/database.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { addTemplates, database } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const data = JSON.stringify({ attributes: [{ trait_type: 'Color', value: 'ré' }] })

t.test('statistics tell how much a store has', async t => {
  const url = await databaseUrl(t)
  const open = async () => {
    const db = await openDatabase(url)
    t.teardown(() => db.destroy())
    return db
  }
  const db = await open()
  const none = { templates: 0, revisions: 0, entries: 0, documentBytes: 0 }
  t.same(await readStoreStatistics(db), none)
  await addTemplates(db, { id: 1, data }, { id: 2, data })
  await db.updateTable('product_template').set({ name: 'new' }).where('id', '=', 1).execute()
  await ensureIndexed(db)
  t.same(await readStoreStatistics(await open()), {
    templates: 2,
    revisions: 3,
    entries: 2,
    documentBytes: Buffer.byteLength(data)
  })
  t.same(await readStoreStatistics(db), none, 'they are not read again at once')
})

t.test('those who ask at the same time share the statements, and a failure is not kept', async t => {
  const db = await database(t)
  let failures = 1
  let statements = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements++
      if (failures-- > 0) throw new Error('no')
      return result
    }
  }
  const watched = db.withPlugin(plugin)
  const all = await Promise.allSettled([readStoreStatistics(watched), readStoreStatistics(watched)])
  t.same(
    all.map(({ status }) => status),
    ['rejected', 'rejected']
  )
  t.equal(statements, 1)
  t.equal((await readStoreStatistics(watched)).templates, 0)
})

onlyOn(
  'postgres',
  'while the table is locked, the old statistics are used, and then those that come late',
  async t => {
    // A statement would wait longer than the test.
    const db = await openDatabase(await migratedUrl(t), { databaseQueryTimeout: 3600 })
    t.teardown(() => db.destroy())
    await readStoreStatistics(db)
    await addTemplates(db, { id: 1 })
    const { now } = performance
    t.teardown(() => Object.assign(performance, { now }))
    performance.now = () => now.call(performance) + 11_000
    const locking = await db.startTransaction().execute()
    try {
      await sql`lock table product_template in access exclusive mode`.execute(locking)
      t.equal((await readStoreStatistics(db)).templates, 0)
    } finally {
      await locking.rollback().execute()
    }
    await until(async () => (await readStoreStatistics(db)).templates === 1)
  }
)
