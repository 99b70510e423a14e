/** Who sends a request, and who wrote a revision. */
import { t } from 'tap'
import { updateStoredClient } from '../../db/accounts/clients.ts'
import { fullRights } from '../../db/templates/writing/rights.ts'
import { updateTemplate } from '../../db/templates/writing/write.ts'
import { accessToken, graphqlRequest, query } from '../support/http/http.ts'
import { secret } from '../support/service/secrets.ts'
import { addTemplates, addUser, client, user } from '../support/service/service.ts'
import { writer } from './writing/store.ts'

const history = '{ product(id: 1) { revisions { nodes { number author { name clientName } } } } }'
const rename =
  'mutation ($name: String!) { updateProduct(id: 1, input: { name: $name }) { userErrors { message } } }'

t.test('the history names the user and the client, as they are called now', async t => {
  const { db, send } = await writer(t)
  await addTemplates(db, { id: 1 })
  const authors = async () => {
    const { nodes } = (await send(history)).data.product.revisions
    return nodes.map(({ author }: { author: object | null }) => author)
  }
  t.same(await authors(), [null], 'not written by a request')
  await send(rename, { name: 'by Ada' })
  t.same(await authors(), [{ name: 'Ada Byron', clientName: client.id }, null])
  await db.updateTable('product_client').set({ display_name: 'The shop' }).execute()
  await db.updateTable('product_user').set({ last_name: '' }).execute()
  t.same(
    await authors(),
    [{ name: 'Ada', clientName: 'The shop' }, null],
    'a cached response would have the old names'
  )
  await db.updateTable('product_user').set({ first_name: '' }).execute()
  t.same(await authors(), [{ name: 'The shop', clientName: 'The shop' }, null], 'a user without a name')
  await updateTemplate(
    db,
    1,
    { name: 'by a client' },
    { author: { ...fullRights, subject: 'gone', clientId: 'gone' } }
  )
  t.same((await authors())[0], { name: 'gone', clientName: 'gone' }, 'neither exists any more')
})

t.test('each viewer gets its own name and scopes, also at the same time', async t => {
  const { db, url } = await writer(t)
  const eve = { email: 'eve@example.com', password: secret('eve') }
  await addUser(db, { ...eve, firstName: 'Eve', lastName: 'Adams' })
  const tokens = {
    'Ada Byron': await accessToken(url, { scope: 'read write' }),
    'Eve Adams': await accessToken(url, { scope: 'read write', username: eve.email, password: eve.password })
  }
  const viewer = '{ viewer { name clientName scopes } }'
  const requests = Array.from({ length: 20 }, () => Object.entries(tokens)).flat()
  const found = await Promise.all(
    requests.map(async ([name, token]) => [
      name,
      await (await graphqlRequest(url, token, { query: viewer })).json()
    ])
  )
  for (const [name, body] of found)
    t.same(body, { data: { viewer: { name, clientName: client.id, scopes: ['read', 'write'] } } })
  const reader = await accessToken(url, { scope: 'read', username: user.email, password: user.password })
  t.match(await (await graphqlRequest(url, reader, { query: viewer })).json(), {
    data: { viewer: { scopes: ['read'] } }
  })
})

t.test('a viewer’s e-mail address is only for clients with the scope profile', async t => {
  const { db, url } = await writer(t)
  await updateStoredClient(db, client.id, { scopes: ['read', 'write', 'profile'] })
  const emailWith = async (scope: string) =>
    (await query(url, await accessToken(url, { scope }), '{ viewer { email } }')).body.data.viewer.email
  t.equal(await emailWith('read profile'), user.email)
  t.equal(await emailWith('read write'), null)
})
