// Runs alone, in test:all only.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { t } from 'tap'
import { users } from '../../store.ts'
import { accessToken, query } from '../support/http/http.ts'
import { addTemplates, service, user } from '../support/service/service.ts'

t.test('of many objects, only one is in memory as a whole', async t => {
  // Collecting garbage all the time takes long on a busy machine.
  const { db, url } = await service(t, { graphqlTimeout: 120 })
  const length = 250_000
  await addTemplates(db, { data: JSON.stringify({ name: 'x'.repeat(length) }) })
  // Whether a rule permits a template depends on all of it.
  await users.update(db, user.email, { where: { id: { gte: 0 } } })
  const token = await accessToken(url)
  const { nodeId } = (await query(url, token, '{ product(id: 0) { nodeId } }')).body.data.product
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const countBytes = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = countBytes()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, countBytes() - before)
  }, 50)
  t.teardown(() => clearInterval(watch))
  const ids = JSON.stringify(Array(100).fill(nodeId))
  const { body } = await query(url, token, `{ nodes(nodeIds: ${ids}) { ... on ProductTemplate { name } } }`)
  t.same(body.data.nodes[99], { name: 'template 0' })
  t.ok(most < 30 * length, `${most} bytes`)
})
