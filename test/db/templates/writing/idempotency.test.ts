import { t } from 'tap'
import { runIdempotently } from '../../../../db/templates/writing/idempotency.ts'
import { database } from '../../../support/service/service.ts'

const done = { products: [], problems: [] as object[], note: 'done' }
const refused = { ...done, problems: [{}], note: 'refused' }
const reused = { ...refused, note: 'reused' }

t.test('a request that the same one, sent at the same time, has made impossible gets its result', async t => {
  const db = await database(t)
  const once = { key: 'key', request: 'request' }
  const result = await db.transaction().execute(transaction =>
    runIdempotently(transaction, once, reused, async () => {
      await runIdempotently(transaction, once, reused, async () => done)
      return refused
    })
  )
  t.same(result, done)
  const run = (key: string, request: string) =>
    db
      .transaction()
      .execute(transaction => runIdempotently(transaction, { key, request }, reused, async () => refused))
  t.same(await run('key', 'another'), reused)
  t.same(await run('other', 'request'), refused)
})
