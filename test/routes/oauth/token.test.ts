import { t } from 'tap'
import { oauthError, tokenRequest } from '../../http.ts'
import { service } from '../../service.ts'

t.test('a failing database is a server error, not a wrong secret or a wrong password', async t => {
  const { url, db } = await service(t)
  await db.schema.dropTable('product_user_wallet').execute()
  t.same(await oauthError(t, await tokenRequest(url)), [500, 'server_error'])
  await db.schema.dropTable('product_client').execute()
  t.same(await oauthError(t, await tokenRequest(url)), [503, 'temporarily_unavailable'])
})
