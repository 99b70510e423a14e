/** A list that was read is known at the version at which it was read, and at no other. */
import { type Test, t } from 'tap'
import { readList } from '../../../db/templates/lists.ts'
import { unmetered } from '../../../db/templates/meter.ts'
import { defaultOrder } from '../../../db/templates/order.ts'
import { planFilter } from '../../../db/templates/plan-filter.ts'
import { allFields } from '../../../db/templates/product-templates.ts'
import { stampFields } from '../../../db/templates/stamp.ts'
import { readTemplatesVersion } from '../../../db/versions.ts'
import { engine } from '../../database.ts'
import { addTemplates, database } from '../../service.ts'

const count = 3
const fields = new Set([...allFields, ...stampFields])

/** Returns a function that reads the list at a version, and returns how many templates were not read but recalled. */
async function lister(t: Test, name = 'short') {
  const db = await database(t)
  await addTemplates(db, ...Array.from({ length: count }, () => ({ name })))
  const countRecalled = async (version: string | undefined): Promise<number> => {
    let recalled = 0
    const request = { order: defaultOrder, fields, version, recall: () => Buffer.from('{}') }
    await readList(db, planFilter(db, {}, count), request, unmetered(), async templates => {
      recalled += templates.filter(template => template.recalled).length
    })
    return recalled
  }
  return { countRecalled, version: await readTemplatesVersion(db) }
}

t.test('it is recalled at its version only', async t => {
  const { countRecalled, version } = await lister(t)
  t.equal(await countRecalled(version), 0)
  t.equal(await countRecalled(version), count)
  t.equal(await countRecalled('another'), 0)
})

t.test('a list that changed after its version was read is not kept', async t => {
  const { countRecalled } = await lister(t)
  t.equal(await countRecalled('before'), 0)
  t.equal(await countRecalled('before'), 0)
})

t.test('names that take too much memory are not kept', { skip: engine === 'postgres' }, async t => {
  const { countRecalled, version } = await lister(t, 'long'.repeat(600_000))
  t.equal(await countRecalled(version), 0)
  t.equal(await countRecalled(version), 0)
})
