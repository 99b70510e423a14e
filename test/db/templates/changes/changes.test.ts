import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { copyDatabase } from '../../../../cli/database/copy-rows.ts'
import type { Db } from '../../../../db/schema.ts'
import {
  type Change,
  findLastPosition,
  listChanges,
  releaseChanges
} from '../../../../db/templates/changes/changes.ts'
import { fullRights } from '../../../../db/templates/writing/rights.ts'
import { deleteTemplate, restoreTemplate } from '../../../../db/templates/writing/write.ts'
import { openDatabase } from '../../../../features/database.ts'
import { tables } from '../../../../features/load.ts'
import { databaseUrl } from '../../../support/database/database.ts'
import { onlyOn } from '../../../support/database/only-on.ts'
import { addTemplates, database } from '../../../support/service/service.ts'

const sha256 = (text: string) => hash('sha256', text)

/** Opens a database as often as there are instances. */
async function instances(t: Test, count: number): Promise<Db[]> {
  const url = await databaseUrl(t)
  const opened: Db[] = []
  for (let index = 0; index < count; index++) opened.push(await openDatabase(url))
  t.teardown(() => Promise.all(opened.map(db => db.destroy())))
  return opened
}

/** Changes a template by plain SQL in a transaction, which is rolled back if the job throws. */
const changeName = (db: Db, id: number, name: string, job = async () => {}) =>
  db.transaction().execute(async transaction => {
    await transaction.updateTable('product_template').set({ name }).where('id', '=', id).execute()
    await job()
  })

/** Lists changes after a position, with those that were not released yet. */
async function listNew(db: Db, after: number, first: number): Promise<Change[]> {
  await releaseChanges(db)
  return listChanges(db, after, first)
}

/** Reads changes in small pages until `done` and until there are no more. */
async function follow(db: Db, done: () => boolean): Promise<Change[]> {
  const seen: Change[] = []
  while (true) {
    const wasDone = done()
    const page = await listNew(db, seen.at(-1)?.position ?? 0, 7)
    seen.push(...page)
    if (wasDone && page.length === 0) return seen
    await setImmediate()
  }
}

async function revisions(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('product_revision').select(['template_id', 'number']).execute()
  return rows.map(({ template_id, number }) => `${template_id}.${number}`)
}

t.test('a follower of many writers sees each committed change once, in order', async t => {
  const [reader, ...stores] = (await instances(t, 4)) as [Db, ...Db[]]
  await addTemplates(reader, ...Array.from({ length: 5 }, (_, id) => ({ id })))
  let rolledBack = 0
  const write = async (writer: number) => {
    const db = stores[writer % stores.length] as Db
    for (let turn = 0; turn < 20; turn++) {
      const id = (writer + turn) % 5
      await changeName(db, id, `${writer}.${turn}`, async () => {
        // Some transactions stay open while others commit.
        for (let pause = 0; pause < (writer * turn) % 11; pause++) await setImmediate()
        if (turn % 4 === 3) throw new Error('rolled back')
      }).catch(() => rolledBack++)
    }
  }
  let done = false
  const writing = Promise.all([0, 1, 2, 3, 4, 5].map(write)).finally(() => {
    done = true
  })
  const seen = await follow(reader, () => done)
  await writing
  t.equal(rolledBack, 30)
  t.equal(seen.length, 5 + 90)
  t.same(seen.map(({ id, revision }) => `${id}.${revision}`).sort(), (await revisions(reader)).sort())
  t.same(
    seen.map(({ position }) => position),
    seen.map((_, index) => index + 1)
  )
  for (const [id, changes = []] of Map.groupBy(seen, ({ id }) => id))
    t.same(
      changes.map(({ revision, action }) => [revision, action]),
      changes.map((_, index) => [index + 1, index === 0 ? 'INSERT' : 'UPDATE']),
      `template ${id}`
    )
})

onlyOn('postgres', 'PostgreSQL: a change that is committed late is read late', async t => {
  const [reader, first, second] = (await instances(t, 3)) as [Db, Db, Db]
  await addTemplates(reader, { id: 1 }, { id: 2 })
  t.equal((await listNew(reader, 0, 10)).length, 2)
  const reached = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const late = changeName(first, 1, 'late', () => {
    reached.resolve()
    return commit.promise
  })
  await reached.promise
  await changeName(second, 2, 'early')
  t.match(await listNew(reader, 2, 10), [{ position: 3, id: 2, revision: 2 }])
  commit.resolve()
  await late
  t.match(await listNew(reader, 3, 10), [{ position: 4, id: 1, revision: 2 }])
})

onlyOn('postgres', 'PostgreSQL: releasing changes does not get in the way of writers', async t => {
  const [reader, writer] = (await instances(t, 2)) as [Db, Db]
  await addTemplates(reader, { id: 1 })
  await writer
    .transaction()
    .setIsolationLevel('serializable')
    .execute(async transaction => {
      await transaction.selectFrom('product_template').selectAll().execute()
      t.equal(await releaseChanges(reader), 1)
      await transaction.updateTable('product_template').set({ name: 'new' }).execute()
    })
  t.match(await listNew(reader, 0, 10), [{ revision: 1 }, { revision: 2 }])
})

onlyOn(
  'postgres',
  'PostgreSQL: a server without writes has the released changes, and tells that others are missing',
  async t => {
    const url = await databaseUrl(t)
    const db = await openDatabase(url)
    await addTemplates(db, { id: 1 })
    await releaseChanges(db)
    await changeName(db, 1, 'new')
    await sql`alter database ${sql.ref(new URL(url).pathname.slice(1))} set default_transaction_read_only = on`.execute(
      db
    )
    await db.destroy()
    const reader = await openDatabase(url)
    t.teardown(() => reader.destroy())
    await t.rejects(releaseChanges(reader), { code: '25006' })
    t.match(await listChanges(reader, 0, 10), [{ position: 1, revision: 1 }])
  }
)

t.test('instances that release changes at the same time do it once', async t => {
  const stores = await instances(t, 4)
  const [db] = stores as [Db]
  await addTemplates(db, ...Array.from({ length: 200 }, (_, id) => ({ id })))
  const counts = await Promise.all(stores.flatMap(db => [releaseChanges(db, 30), releaseChanges(db, 30)]))
  const released = counts.reduce((sum, count) => sum + count)
  t.equal(await findLastPosition(db), released)
  t.ok(released > 0)
  const changes = await listNew(db, 0, 300)
  t.same(
    changes.map(({ position, id }) => [position, id]),
    changes.map((_, index) => [index + 1, index])
  )
  t.equal(changes.length, 200)
  t.equal(await releaseChanges(db), 0)
})

t.test('a released change has its hash, and a template that comes back is inserted', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1, data: 'a' })
  await sql`update product_template set data = 'b'`.execute(db)
  await deleteTemplate(db, 1, { author: fullRights })
  await restoreTemplate(db, 1, 1, { author: fullRights })
  await restoreTemplate(db, 1, 2, { author: fullRights })
  await sql`delete from product_template`.execute(db)
  await addTemplates(db, { id: 1, data: 'c' })
  const changes = await listNew(db, 0, 100)
  t.same(
    changes.map(({ revision, action, hash }) => [revision, action, hash]),
    [
      [1, 'INSERT', sha256('a')],
      [2, 'UPDATE', sha256('b')],
      [3, 'DELETE', null],
      [4, 'INSERT', sha256('a')],
      [5, 'UPDATE', sha256('b')],
      [6, 'DELETE', null],
      [7, 'INSERT', sha256('c')]
    ]
  )
  t.same(await listNew(db, 7, 100), [])
  t.same(
    (await listNew(db, 2, 3)).map(({ revision }) => revision),
    [3, 4, 5]
  )
})

t.test('a copy goes on where the original is', async t => {
  const [from, to] = [await database(t), await database(t)]
  await addTemplates(from, { id: 1 }, { id: 2 })
  await releaseChanges(from, 1)
  await copyDatabase(from, to, tables, () => {})
  await changeName(to, 1, 'new')
  t.same(
    (await listNew(to, 0, 10)).map(({ position, id, revision }) => [position, id, revision]),
    [
      [1, 1, 1],
      [2, 2, 1],
      [3, 1, 2]
    ]
  )
})
