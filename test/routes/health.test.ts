import { t } from 'tap'
import { service } from '../service.ts'

t.test('both probes succeed while the database responds', async t => {
  const { url } = await service(t)
  for (const path of ['/livez', '/readyz']) {
    const response = await fetch(`${url}${path}`)
    t.same([response.status, await response.json()], [200, { status: 'ok' }], path)
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
    [503, { code: 'unavailable', message: 'the service is temporarily unavailable' }]
  )
})
