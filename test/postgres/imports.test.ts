// Runs on PostgreSQL only.
import { sql } from 'kysely'
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'

t.test('an import does not keep a template that somebody else is deleting', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 1 })
  const token = await accessToken(url)
  const other = await db.startTransaction().execute()
  await other.deleteFrom('product_template').where('id', '=', 1).execute()
  const values = '{ id: 1, blockchainId: 1, maxItems: 1, name: "x", data: "{}" }'
  const importing = query(
    url,
    token,
    `mutation { importProducts(mode: KEEP, input: [${values}]) { created kept products { id } } }`
  )
  await until(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length > 0
  })
  await other.commit().execute()
  t.same((await importing).body, {
    data: { importProducts: { created: 1, kept: 0, products: [{ id: 1 }] } }
  })
})
