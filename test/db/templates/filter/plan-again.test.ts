// Runs on SQLite only.
/** A plan is used again on the database when the replica that it was first used on has failed. */
import { t } from 'tap'
import { toFilter } from '../../../../db/templates/filter/filter.ts'
import { planFilter } from '../../../../db/templates/filter/plan.ts'
import { unmetered } from '../../../../db/templates/meter.ts'
import { beginSnapshot } from '../../../../db/templates/snapshot.ts'
import { addTemplates, database } from '../../../support/service/service.ts'

t.test('the matches of a plan belong to one snapshot', async t => {
  const db = await database(t)
  await addTemplates(db, {})
  const plan = await planFilter(db, toFilter({ id: { gte: 0 } }))
  const failed = await beginSnapshot(db)
  await failed.end()
  await t.rejects(plan.findIds(failed.db, unmetered()))
  const snapshot = await beginSnapshot(db)
  t.equal((await plan.findIds(snapshot.db, unmetered())).length, 1)
  t.equal(plan.findIds(snapshot.db, unmetered()), plan.findIds(snapshot.db, unmetered()))
  await snapshot.end()
})
