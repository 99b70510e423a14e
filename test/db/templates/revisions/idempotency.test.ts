import { t } from 'tap'
import { runOnce } from '../../../../db/templates/revisions/idempotency.ts'
import { database } from '../../../service.ts'

const results = {
  keep: (result: string) => (result === 'refused' ? undefined : result),
  repeat: async (kept: string) => `${kept}, repeated`,
  reused: () => 'reused'
}

t.test('a request that the same one, sent at the same time, has made impossible gets its result', async t => {
  const db = await database(t)
  const once = { key: 'key', request: 'request' }
  const result = await db.transaction().execute(transaction =>
    runOnce(transaction, once, results, async () => {
      await runOnce(transaction, once, results, async () => 'done')
      return 'refused'
    })
  )
  t.equal(result, 'done, repeated')
  const run = (key: string, request: string) =>
    db
      .transaction()
      .execute(transaction => runOnce(transaction, { key, request }, results, async () => 'refused'))
  t.equal(await run('key', 'another'), 'reused')
  t.equal(await run('other', 'request'), 'refused')
})
