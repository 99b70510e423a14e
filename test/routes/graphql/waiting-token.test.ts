/** The token of an operation that has waited long is checked again before the operation begins. */

import type { FastifyInstance } from 'fastify'
import { decodeJwt } from 'jose'
import { type Test, t } from 'tap'
import { endTokens, setUserDisabled } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import type { OperationQueue } from '../../../routes/graphql/operation-queue.ts'
import { productTemplates } from '../../../service.ts'
import { accessToken, query } from '../../support/http/http.ts'
import {
  addClient,
  addUser,
  cheapHash,
  database,
  host,
  testLimits,
  user
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Sends a mutation that waits for its turn for over a second. Meanwhile, `happens` runs. */
async function waitFor(t: Test, happens: (db: Db) => Promise<unknown>) {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const app = host(t)
  const scopes: FastifyInstance[] = []
  app.addHook('onRegister', scope => void scopes.push(scope))
  await app.register(productTemplates, { ...cheapHash, ...testLimits, db })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const queue = scopes.find(scope => scope.hasDecorator('productOperationQueue'))
    ?.productOperationQueue as OperationQueue
  const token = await accessToken(url)
  const { jti = '' } = decodeJwt(token)
  const { signal } = new AbortController()
  const running = await Promise.all(
    Array.from({ length: 8 }, async () => queue.takeSlot(jti, 0, () => signal))
  )
  const answered = query(url, token, 'mutation { deleteProduct(id: 1) { userErrors { code } } }')
  const isWaiting = () => queue.readMetricValues().graphql_operations_waiting === 1
  await until(isWaiting)
  const begun = performance.now()
  await happens(db)
  await until(() => performance.now() - begun > 1100)
  for (const slot of running) slot.release(0)
  return answered
}

t.test('the token is revoked', async t => {
  const { status, body } = await waitFor(t, db => endTokens(db, user.email))
  t.equal(status, 401)
  t.match(body, { errors: [{ extensions: { code: 'INVALID_TOKEN' } }], data: undefined })
})

t.test('the user is disabled', async t => {
  const { status } = await waitFor(t, db => setUserDisabled(db, user.email, true))
  t.equal(status, 401)
})

t.test('the user gets fewer rights', async t => {
  const { status, body } = await waitFor(t, db =>
    db.updateTable('product_user').set({ role: 'reader' }).where('email', '=', user.email).execute()
  )
  t.equal(status, 503)
  t.match(body, { errors: [{ extensions: { code: 'TEMPORARILY_UNAVAILABLE' } }], data: undefined })
})

t.test('nothing has changed', async t => {
  const { status, body } = await waitFor(t, async () => {})
  t.equal(status, 200)
  t.match(body, { data: { deleteProduct: { userErrors: [{ code: 'NOT_FOUND' }] } } })
})
