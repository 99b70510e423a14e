import { sql } from 'kysely'
import { t } from 'tap'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Transaction } from '../../db/schema.ts'
import { fullRights, lockTemplates } from '../../db/templates/writing/rights.ts'
import { isTransaction, transact, transactReadOnly } from '../../db/transaction.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { addTemplates, database, storedTemplates } from '../support/service/service.ts'

t.test('in a transaction, only the changes of the job are undone', async t => {
  const db = await database(t)
  await db.transaction().execute(async transaction => {
    await addTemplates(transaction, { id: 1 })
    const result = await transact(transaction, async inner => addTemplates(inner, { id: 2 }), {
      rollBackIf: () => true
    })
    t.equal(result, undefined)
    const again = transact(transaction, async inner => addTemplates(inner, { id: 3 }, { id: 1 }), {
      rollBackIf: () => false
    })
    await t.rejects(again, { code: /^(23505|SQLITE_CONSTRAINT_PRIMARYKEY)$/ })
    await transact(transaction, async inner => addTemplates(inner, { id: 4 }), { rollBackIf: () => false })
  })
  const ids = (await storedTemplates(db)).map(({ id }) => id)
  t.same(ids.sort(), [1, 4])
})

onlyOn('sqlite', 'a job that is undone commits nothing', async t => {
  const url = await migratedUrl(t)
  const [db, other] = [await openDatabase(url), await openDatabase(url)]
  t.teardown(() => Promise.all([db.destroy(), other.destroy()]))
  const readCommits = async () => (await sql`pragma data_version`.execute(other)).rows
  const before = await readCommits()
  await transact(db, async transaction => addTemplates(transaction, { id: 1 }), { rollBackIf: () => true })
  t.same(await readCommits(), before)
  await transact(db, async transaction => addTemplates(transaction, { id: 1 }))
  t.not(JSON.stringify(await readCommits()), JSON.stringify(before))
})

onlyOn('sqlite', 'a job that ends the whole transaction rejects with its own error', async t => {
  const db = await database(t)
  const transaction = db.transaction().execute(async transaction => {
    await addTemplates(transaction, { id: 1 })
    await sql`pragma max_page_count = 1`.execute(transaction)
    // Plain insertions: after some other statements, SQLite would undo only the statement.
    const fill = async (inner: typeof db) => {
      for (let key = 0; ; key++)
        await inner
          .insertInto('product_idempotency')
          .values({ key: `${key}`, request: '', result: 'x'.repeat(10_000), time_created: timestamp() })
          .execute()
    }
    await transact(transaction, fill, { rollBackIf: () => false })
  })
  await t.rejects(transaction, { code: 'SQLITE_FULL' })
  await sql`pragma max_page_count = 1000000`.execute(db)
  t.same(await storedTemplates(db), [])
})

t.test('what must run in a transaction does not compile with a database', async t => {
  const db = await database(t)
  const lock = async (transaction: Transaction) => [
    ...(await lockTemplates(transaction, [], fullRights)).templates
  ]
  t.same(await transact(db, lock), [])
  t.same(await transactReadOnly(db, async snapshot => isTransaction(snapshot)), true)
  // @ts-expect-error a database is not a transaction
  t.same(await lock(db), [])
  // @ts-expect-error nor is what an operation reads with
  t.same(await lock(operationDb(db)), [])
})
