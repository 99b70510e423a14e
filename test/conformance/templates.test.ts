/** The product template of the contract: fields, types, formats, order. */
import { t } from 'tap'
import { demoTemplates } from '../../seeds/seed.ts'
import { accessToken, query } from '../support/http/http.ts'
import { addTemplates, service } from '../support/service/service.ts'

const fields = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
const types = {
  id: 'number',
  blockchainId: 'number',
  maxItems: 'number',
  name: 'string',
  publicProduct: 'boolean',
  componentName: 'string',
  timeCreated: 'string',
  timeModified: 'string',
  data: 'string'
}

t.test('a template has the nine fields, each of its type', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, ...demoTemplates)
  const { status, body } = await query(url, await accessToken(url), `query { allProducts { ${fields} } }`)
  t.equal(status, 200)
  t.equal(body.data.allProducts.length, demoTemplates.length)
  for (const template of body.data.allProducts) {
    t.same(Object.fromEntries(Object.entries(template).map(([name, value]) => [name, typeof value])), types)
    for (const name of ['id', 'blockchainId', 'maxItems']) t.ok(Number.isInteger(template[name]))
    t.ok(template.maxItems > 0)
    for (const name of ['timeCreated', 'timeModified']) {
      t.match(template[name], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    }
    JSON.parse(template.data)
  }
})

t.test('each field can be asked for alone, and comes as its type', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const token = await accessToken(url)
  for (const [name, type] of Object.entries(types)) {
    const { body } = await query(url, token, `query { allProducts { ${name} } }`)
    t.same(Object.keys(body.data.allProducts[0]), [name])
    t.type(body.data.allProducts[0][name], type)
  }
})

t.test('the same field may be selected twice', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {})
  const { body } = await query(url, await accessToken(url), 'query { allProducts { name id name } }')
  t.same(body, { data: { allProducts: [{ name: 'template 0', id: 0 }] } })
})

t.test('ids have gaps and include 0', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, { id: 0 }, { id: 7 }, { id: 2147483647 })
  const { body } = await query(url, await accessToken(url), '{ allProducts { id } }')
  t.same(body.data.allProducts.map(({ id }: { id: number }) => id).sort(), [0, 2147483647, 7])
})

t.test('the order is by modification time, newest first, then by descending id', async t => {
  const { url, db } = await service(t)
  await addTemplates(
    db,
    { id: 5, timeModified: '2026-01-01T00:00:00.000001Z' },
    { id: 1, timeModified: '2026-01-01T00:00:00.000002Z' },
    { id: 3, timeModified: '2026-01-01T00:00:00.000001Z' },
    { id: 4, timeModified: '2025-12-31T23:59:59.999999Z' }
  )
  const { body } = await query(url, await accessToken(url), '{ allProducts { id } }')
  t.same(
    body.data.allProducts.map(({ id }: { id: number }) => id),
    [1, 5, 3, 4]
  )
})

t.test('data comes back byte for byte', async t => {
  const texts = [
    '{"b":1,"a":2}',
    '{ "a" :\t1 ,\r\n\n "a": 2 }\n',
    '  {"n": 1.0, "e": 1E3, "s": "\\u00e9é\\/"}  ',
    `{"long":"${'x'.repeat(100_000)}"}`,
    '{"emoji":"🍏","separator":"\u2028","nul":"\\u0000"}'
  ]
  const { url, db } = await service(t)
  await addTemplates(db, ...texts.map(data => ({ data })))
  const { body } = await query(url, await accessToken(url), '{ allProducts { id data } }')
  const answered = new Map(
    body.data.allProducts.map(({ id, data }: { id: number; data: string }) => [id, data])
  )
  for (const [id, data] of texts.entries()) t.equal(answered.get(id), data)
})

t.test('an empty database returns an empty list', async t => {
  const { url } = await service(t)
  t.same(await query(url, await accessToken(url), '{ allProducts { id } }'), {
    status: 200,
    body: { data: { allProducts: [] } }
  })
})
