import { t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { readConsistently } from '../../../db/templates/consistent.ts'
import { planFilter } from '../../../db/templates/plan-filter.ts'
import { readTemplatesVersion } from '../../../db/versions.ts'
import { addTemplates, database } from '../../service.ts'

const count = (db: Db) =>
  db
    .selectFrom('product_template')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()

t.test('what is read in several statements is of one moment', async t => {
  const db = await database(t)
  const planned = { plan: planFilter(db, {}, 0), version: await readTemplatesVersion(db) }
  let reads = 0
  const read = (writes: number) =>
    readConsistently(db, planned, async reader => {
      const before = await count(reader)
      if (reads++ < writes) await addTemplates(db, { id: reads })
      return [before.count, (await count(reader)).count, reader.isTransaction]
    })
  t.same(await read(0), [0, 0, false])
  t.equal(reads, 1)
  reads = 0
  t.same(await read(1), [1, 1, false])
  t.equal(reads, 2)
  reads = 10
  t.same(await read(13), [3, 3, true], 'in a snapshot, if templates are written at each try')
  t.equal(reads, 13)
})
