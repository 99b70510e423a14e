/** Administration of clients over HTTP. */
import { t } from 'tap'
import { basic, graphqlRequest, tokenRequest } from '../../../test/support/http/http.ts'
import { errors, start, wholeTrail } from '../../../test/support/service/administrator.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { client } from '../../../test/support/service/service.ts'

t.test('D08: clients: a secret is shown once, and rotated with an overlap', async t => {
  const { url, db, ask, events } = await start(t)
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
  const change = async (text: string): Promise<any> =>
    Object.values((await ask(`mutation { ${text} }`)).data)[0]
  const added = await change(
    `addClient(input: { id: "shop", scopes: ["write", "read"], displayName: "Shop" }) { secret client { id scopes grantTypes isPublic } ${errors} }`
  )
  const first = remember(added.secret as string)
  t.match(added, {
    client: { id: 'shop', scopes: ['read', 'write'], grantTypes: ['password'], isPublic: false },
    userErrors: []
  })
  const works = async (text: string) =>
    (await tokenRequest(url, {}, { authorization: basic('shop', text) })).status === 200
  const second = remember(
    (await change(`rotateClientSecret(id: "shop", overlap: 60) { secret client { id } }`)).secret as string
  )
  t.same([await works(first), await works(second)], [true, true])
  await db
    .updateTable('product_client')
    .set({ time_previous_expires: '2026-01-01T00:00:00.000000Z' })
    .where('id', '=', 'shop')
    .execute()
  t.same([await works(first), await works(second)], [false, true], 'the overlap has ended')
  const third = remember((await change(`rotateClientSecret(id: "shop") { secret }`)).secret as string)
  t.same([await works(second), await works(third)], [false, true])
  t.match(
    await change(
      `updateClient(id: "shop", input: { disabled: true, scopes: ["read"] }) { client { disabled scopes } ${errors} }`
    ),
    {
      client: { disabled: true, scopes: ['read'] },
      userErrors: []
    }
  )
  t.equal(await works(third), false)
  t.match(
    await change(
      `updateClient(id: "shop", input: { scopes: ["all"], redirectUris: ["x"] }) { client { id } ${errors} }`
    ),
    {
      client: null,
      userErrors: [{ code: 'INVALID', path: ['input', 'scopes'] }]
    }
  )
  t.match(await change(`addClient(input: { id: "shop" }) { secret ${errors} }`), {
    secret: null,
    userErrors: [{ code: 'EXISTS' }]
  })
  t.match(
    await change(
      `addClient(input: { id: "page", isPublic: true, redirectUris: ["https://a.example/"] }) { secret client { isPublic } }`
    ),
    { secret: null, client: { isPublic: true } }
  )
  t.match(await change(`rotateClientSecret(id: "page") { secret ${errors} }`), {
    secret: null,
    userErrors: [{ code: 'INVALID', path: ['id'] }]
  })
  for (const overlap of [-1, 2_592_001])
    t.match(await change(`rotateClientSecret(id: "shop", overlap: ${overlap}) { secret ${errors} }`), {
      secret: null,
      userErrors: [{ code: 'INVALID' }]
    })
  t.same(await change(`deleteClient(id: "shop") { deletedId ${errors} }`), {
    deletedId: 'shop',
    userErrors: []
  })
  t.match(await change(`deleteClient(id: "shop") { deletedId ${errors} }`), {
    deletedId: null,
    userErrors: [{ code: 'NOT_FOUND' }]
  })
  t.match((await ask(`{ clients { id redirectUris } }`)).data, {
    clients: [{ id: 'console' }, { id: 'page', redirectUris: ['https://a.example/'] }, { id: client.id }]
  })
  const actions = ((await events()) as { action: string; targetId: string }[]).map(
    ({ action, targetId }) => `${action} ${targetId}`
  )
  t.same(actions, [
    'client.delete shop',
    'client.add page',
    'client.disable shop',
    'client.update shop',
    'client.rotate_secret shop',
    'client.rotate_secret shop',
    'client.add shop'
  ])
  const trail = await wholeTrail(db)
  for (const text of [first, second, third]) t.notOk(trail.includes(text))
})

t.test('an error shows the beginning of a wrong redirect URI, and not all of many', async t => {
  const { ask } = await start(t)
  const text = `mutation ($uris: [String!]) { addClient(input: {
    id: "a", scopes: ["read"], isPublic: true, grantTypes: ["authorization_code"], redirectUris: $uris }) { ${errors} } }`
  for (const uris of [['x'.repeat(100_000)], Array.from({ length: 5000 }, (_, n) => `x${n}`)]) {
    const { message } = (await ask(text, { uris })).data.addClient.userErrors[0]
    t.match(message, /^the redirect URI "x/)
    t.ok(message.length < 2000, `${message.length} characters`)
  }
})

t.test('D09: an Idempotency-Key stores no secret', async t => {
  const { url, token, db } = await start(t)
  const add = async () => {
    const response = await graphqlRequest(url, token, { query: mutationText }, { 'idempotency-key': 'k' })
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
    return ((await response.json()) as any).data.addClient
  }
  const mutationText = 'mutation { addClient(input: { id: "a" }) { secret userErrors { code } } }'
  remember((await add()).secret)
  t.match(await add(), { secret: null, userErrors: [{ code: 'EXISTS' }] })
  t.same(await db.selectFrom('product_idempotency').selectAll().execute(), [])
})
