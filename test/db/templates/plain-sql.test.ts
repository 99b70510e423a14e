/** Values that other programs store with plain SQL. */
import { sql } from 'kysely'
import { t } from 'tap'
import { engineOf } from '../../../db/dialects/engine.ts'
import { deleteTemplates } from '../../../db/templates/writing/bulk-write.ts'
import { fullRights } from '../../../db/templates/writing/rights.ts'
import { templates } from '../../../store.ts'
import { addTemplates, database } from '../../support/service/service.ts'

t.test('the store refuses a value that would make every list of templates fail', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1 })
  const refused =
    engineOf(db).name === 'sqlite'
      ? [
          "time_modified = 'garbage'",
          "time_modified = '2026-02-30T00:00:00.000000Z'",
          "time_modified = '0000-01-01T00:00:00.000000Z'",
          "time_created = datetime('now')",
          'blockchain_id = 1.5',
          "name = x'00'"
        ]
      : ["time_modified = 'infinity'", "time_created = '0044-03-15 BC'", "time_created = '12026-01-01'"]
  for (const assignment of refused)
    await t.rejects(
      sql`update product_template set ${sql.raw(assignment)}`.execute(db),
      /constraint|cannot store/,
      assignment
    )
  t.same(
    (await templates.list(db)).map(({ id }) => id),
    [1]
  )
})

t.test('the first and the last time can be read', async t => {
  const db = await database(t)
  const times = ['0001-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z'] as const
  await addTemplates(db, { id: 1, timeCreated: times[0], timeModified: times[1] })
  const [template] = await templates.list(db)
  t.same([template?.timeCreated, template?.timeModified], times)
})

t.test('a bulk write leaves out a template that plain SQL has changed, before it is indexed', async t => {
  const db = await database(t)
  const from = (country: string) => `{"attributes":[{"trait_type":"MadeIn","value":"${country}"}]}`
  await addTemplates(db, { id: 1, data: from('Peru') }, { id: 2, data: from('Peru') })
  await sql`update product_template set data = ${from('Chile')} where id = 1`.execute(db)
  const where = { trait: { type: 'MadeIn', equals: 'Peru' } }
  const { written, problems } = await deleteTemplates(db, [1, 2], { author: fullRights, where })
  t.same(problems, [])
  t.same(
    written.map(({ id }) => id),
    [2]
  )
})
