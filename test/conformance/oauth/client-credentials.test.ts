/** RFC 6749 §4.4: a client acts for itself. */
import { decodeJwt } from 'jose'
import { t } from 'tap'
import { basic, query, tokenRequest } from '../../support/http/http.ts'
import { addClient, client, service } from '../../support/service/service.ts'

const form = { grant_type: 'client_credentials', username: undefined, password: undefined }

t.test('G22 the token is for the client, without user fields and without a refresh token', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'machine', grantTypes: ['client_credentials'], scopes: ['read'] })
  const response = await tokenRequest(url, form, { authorization: basic('machine', client.secret) })
  t.equal(response.status, 200)
  const body = (await response.json()) as { access_token: string }
  t.same(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope', 'jti'])
  t.match(decodeJwt(body.access_token), { sub: 'machine', client_id: 'machine', scope: 'read' })
  t.equal((await query(url, body.access_token, '{ allProducts { id } }')).status, 200)
})

t.test('a client that acts for itself gets no scope that concerns a user', async t => {
  const { url, db } = await service(t)
  const grantTypes = ['client_credentials', 'authorization_code']
  await addClient(db, { id: 'machine', grantTypes, scopes: ['read', 'openid', 'profile', 'email', 'admin'] })
  const headers = { authorization: basic('machine', client.secret) }
  for (const scope of ['openid', 'profile', 'email', 'read openid']) {
    const response = await tokenRequest(url, { ...form, scope }, headers)
    t.equal(response.status, 400, scope)
    t.match(await response.json(), { error: 'invalid_scope' })
  }
  const response = await tokenRequest(url, { ...form, scope: 'read admin' }, headers)
  t.match(await response.json(), { scope: 'read admin' })
})

t.test('G23 ids of users and clients never collide', async t => {
  const { url, db } = await service(t)
  const { id } = (await (await tokenRequest(url)).json()) as { id: string }
  t.match(
    id,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    'the id of a user is a UUID'
  )
  const clients = await db.selectFrom('product_client').select('id').execute()
  t.notOk(clients.some(client => client.id === id))
})
