import { t } from 'tap'
import { oauthError, tokenRequest } from '../../support/http/http.ts'
import { service } from '../../support/service/service.ts'

t.test('a failing database is a server error, not a wrong secret or a wrong password', async t => {
  const { url, db } = await service(t)
  await db.schema.alterTable('product_user_wallet').renameTo('gone').execute()
  t.same(await oauthError(t, await tokenRequest(url)), [500, 'server_error'])
  await db.schema.alterTable('product_client').renameTo('gone_too').execute()
  t.same(await oauthError(t, await tokenRequest(url)), [500, 'server_error'])
})
