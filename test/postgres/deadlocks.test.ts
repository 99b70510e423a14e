// Runs on PostgreSQL only.
import { t } from 'tap'
import { updateTemplates } from '../../db/templates/writing/bulk-write.ts'
import { fullRights } from '../../db/templates/writing/rights.ts'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl, onServer } from '../support/database/database.ts'
import { addTemplates } from '../support/service/service.ts'

t.test('changes that give some of the same templates a new trait do not deadlock', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addTemplates(db, ...Array.from({ length: 75 }, (_, id) => ({ id, data: '{"attributes":[]}' })))
  const ids = Array.from({ length: 75 }, (_, id) => id)
  const [some, others] = [ids.slice(0, 50), ids.slice(25)]
  for (let turn = 0; turn < 10; turn++) {
    const traits = { set: [{ traitType: `trait ${turn}`, value: turn }], remove: [] }
    const results = await Promise.all(
      [some, others].map(ids => updateTemplates(db, ids, { values: {}, traits }, { author: fullRights }))
    )
    for (const { problems } of results) t.same(problems, [])
  }
  // The server counts the deadlocks of a connection when that ends.
  await db.destroy()
  const statement = 'select deadlocks from pg_stat_database where datname = current_database()'
  t.same((await onServer(url, statement)).rows, [{ deadlocks: '0' }])
})
