import { sql } from 'kysely'
import { t } from 'tap'
import { migrations } from '../../features/database.ts'
import { service } from '../support/service/service.ts'

const unknown = { database: 'unknown', writable: 'unknown', migrations: 'unknown', index: 'unknown' }
const fine = { database: 'ok', writable: 'ok', migrations: 'ok', index: 'ok', drain: 'ok' }

t.test('all probes succeed while the database responds', async t => {
  const { url } = await service(t)
  for (const [path, more] of [
    ['/livez', {}],
    ['/startupz', {}],
    ['/readyz', { checks: fine }]
  ] as const) {
    const response = await fetch(`${url}${path}`)
    t.same([response.status, await response.json()], [200, { status: 'ok', ...more }], path)
    t.equal((await fetch(`${url}${path}`, { method: 'HEAD' })).status, 200)
    t.equal((await fetch(`${url}${path}`, { method: 'POST' })).status, 405)
  }
})

t.test('without a database the process is live but not ready', async t => {
  const { url, db } = await service(t)
  await db.destroy()
  t.equal((await fetch(`${url}/livez`)).status, 200)
  const response = await fetch(`${url}/readyz`)
  t.same(
    [response.status, await response.json()],
    [
      503,
      {
        status: 'unavailable',
        code: 'unavailable',
        message: 'the service is temporarily unavailable',
        checks: { ...unknown, database: 'failed', drain: 'ok' }
      }
    ]
  )
  t.equal(response.headers.get('retry-after'), '1')
})

const report = async (url: string) => {
  const response = await fetch(`${url}/readyz`)
  const { checks } = (await response.json()) as { checks: Record<string, string> }
  return [response.status, checks]
}

t.test(
  'an index that is being built is reported, but the service is ready; without a migration it is not',
  async t => {
    const { url, db } = await service(t)
    await db.updateTable('product_template_index').set({ complete: 0 }).execute()
    t.same(await report(url), [200, { ...fine, index: 'building' }])
    const other = await service(t)
    await sql`delete from product_migration`.execute(other.db)
    t.same(await report(other.url), [
      503,
      { ...fine, migrations: `missing ${Object.keys(migrations).join(', ')}`, index: 'unknown' }
    ])
  }
)

t.test('probes that follow each other share a result', async t => {
  const { app, db } = await service(t)
  const ask = async () => (await app.inject('/readyz')).json().checks
  t.same(await ask(), fine)
  const changed = db.updateTable('product_template_index').set({ complete: 0 }).execute()
  t.same(await Promise.all([ask(), ask(), ask()]), [fine, fine, fine])
  await changed
})
