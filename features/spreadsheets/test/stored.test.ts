/** An import finds the templates that its rows change, also those that the index does not have yet. */
import { sql } from 'kysely'
import { t } from 'tap'
import { transact } from '../../../db/transaction.ts'
import { addTemplates, database } from '../../../test/support/service/service.ts'
import { makeFinder } from '../stored.ts'

t.test('a key that plain SQL has just written is found', async t => {
  const db = await database(t)
  const attribute = (value: string) => ({ attributes: [{ trait_type: 'SKU', value }] })
  const data = (value: string) => JSON.stringify({ ...attribute(value), productId: `p${value}` })
  await addTemplates(db, { id: 1, data: data('A') }, { id: 2, data: data('B') }, { id: 3, data: data('C') })
  await sql`update product_template set data = ${data('new')} where id = 1`.execute(db)
  await sql`update product_template set data = ${data('other')} where id = 2`.execute(db)
  const ids = await transact(db, async transaction => {
    const find = makeFinder(transaction, { existing: 'replace' } as Parameters<typeof makeFinder>[1])
    const found = [await find('trait:SKU', ['new', 'C']), await find('productId', ['pnew'])]
    return found.map(templates => templates.map(({ id }) => id).sort())
  })
  t.same(ids, [[1, 3], [1]])
})
