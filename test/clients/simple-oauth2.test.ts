// Runs on SQLite only, in test:all only.
/** simple-oauth2, which reads every response as JSON. */
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2'
import { t } from 'tap'
import { hashSecret } from '../../accounts/credentials/secrets.ts'
import { graphqlRequest } from '../support/http/http.ts'
import { asciiSecret } from '../support/service/secrets.ts'
import { addClient, service, user } from '../support/service/service.ts'

t.test('it gets, renews and revokes tokens', async t => {
  const { url, db } = await service(t)
  // The library takes no letters outside ASCII.
  const appSecret = asciiSecret('simple-oauth2')
  const grantTypes = ['password', 'refresh_token', 'client_credentials']
  await addClient(db, { id: 'app', secretHash: hashSecret(appSecret), grantTypes })
  const auth = { tokenHost: url, tokenPath: '/oauth/token', revokePath: '/oauth/revoke' }
  const config = { client: { id: 'app', secret: appSecret }, auth }
  const opens = async ({ token }: { token: Record<string, unknown> }) =>
    (await graphqlRequest(url, String(token.access_token), { query: '{ __typename }' })).status === 200

  const own = await new ClientCredentials(config).getToken({ scope: 'read' })
  t.ok(await opens(own))
  await own.revoke('access_token')
  t.notOk(await opens(own))

  const login = { username: user.email, password: user.password, scope: 'read write' }
  const first = await new ResourceOwnerPassword(config).getToken(login)
  const second = await first.refresh()
  t.ok(await opens(second))
  t.notOk(second.expired())
  await second.revokeAll()
  t.notOk(await opens(second))
  await second.revoke('access_token')

  const inBody = { ...config, options: { authorizationMethod: 'body' as const } }
  const refused = await new ClientCredentials(inBody).getToken({}).catch(({ data }) => data.payload)
  t.match(refused, { error: 'invalid_client', error_description: /was not sent by HTTP Basic/ })
  const code = { code: 'x', redirect_uri: url }
  const unauthorized = await new AuthorizationCode(config).getToken(code).catch(({ data }) => data.payload)
  t.match(unauthorized, { error: 'unauthorized_client' })
})
