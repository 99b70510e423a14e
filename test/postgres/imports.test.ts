// Runs on PostgreSQL only.
import { sql } from 'kysely'
import { t } from 'tap'
import { defaultValues } from '../../domain/columns.ts'
import * as store from '../../store.ts'
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

t.test('others create templates while an import gives ids, and each id is given once', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 7 })
  const token = await accessToken(url)
  const values = { ...defaultValues, name: 'imported', publicProduct: true, componentName: 'A' }
  const data = JSON.stringify({ description: 'x'.repeat(100_000) })
  const create = async () => {
    const input = '{ blockchainId: 1, maxItems: 1, name: "created", data: "{}" }'
    const { body } = await query(url, token, `mutation { createProduct(input: ${input}) { product { id } } }`)
    t.notOk(body.errors, JSON.stringify(body.errors))
    return body.data?.createProduct.product.id
  }
  const created: number[] = []
  const records = async function* () {
    yield { values: { ...values, id: 20, data }, place: undefined }
    // More characters than wait for an id.
    for (let count = 0; count < 90; count++) yield { values: { ...values, data }, place: undefined }
    created.push(await create(), await create())
    for (let count = 0; count < 10; count++) yield { values: { ...values, data: '{}' }, place: undefined }
  }
  const { ids, ...result } = await store.templates.import(db, records(), { withIds: true })
  t.match(result, { written: true, inserted: 101, problems: [] })
  t.equal(new Set([...ids, ...created, await create()]).size, 104)
  t.equal(Math.min(...ids.slice(1)), 21)
})
