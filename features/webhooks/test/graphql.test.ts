// Runs in test:all only.
/** Administration of webhooks over HTTP. */
import { t } from 'tap'
import { admin, errors, start, wholeTrail } from '../../../test/support/service/administrator.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { addTemplates } from '../../../test/support/service/service.ts'
import { brief, isSignedWith, type Received, receiver } from './receiver.ts'

const fields = 'id url where events disabled behind waiting dead lastError'

t.test(
  'a webhook that is added by GraphQL is told of changes, and each change of it is recorded',
  async t => {
    const { db, ask, idOf, events } = await start(t, { privateNetworks: '127.0.0.0/8' })
    const shop = await receiver(t)
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
    const change = async (text: string, variables = {}): Promise<any> =>
      Object.values((await ask(text, variables)).data)[0]
    const secretUrl = `${shop.url}?key=path-secret`
    const added = await change(
      `mutation ($url: String!) { addWebhook(input: { url: $url, where: { componentName: { equals: "A" } } }) {
      secret webhook { ${fields} } ${errors} } }`,
      { url: secretUrl }
    )
    const { id } = added.webhook
    const first = remember(added.secret as string)
    t.match(added, {
      secret: /^whsec_/,
      webhook: {
        url: secretUrl,
        where: '{"componentName":{"equals":"A"}}',
        events: ['created', 'updated', 'deleted'],
        disabled: false,
        dead: 0,
        lastError: null
      },
      userErrors: []
    })
    await addTemplates(db, { id: 1, componentName: 'A' }, { id: 2, componentName: 'B' })
    const [message] = await shop.takes(1)
    t.equal(brief(message as Received), 'product.created 1.1')
    t.ok(isSignedWith(first, message as Received))

    const { secret: second } = await change(
      `mutation { rotateWebhookSecret(id: "${id}", overlap: 0) { secret } }`
    )
    remember(second)
    const updated = await change(
      `mutation { updateWebhook(id: "${id}", input: { where: {}, events: [deleted] }) { webhook { ${fields} } ${errors} } }`
    )
    t.match(updated, { webhook: { where: null, events: ['deleted'], url: secretUrl }, userErrors: [] })
    await db.deleteFrom('product_template').where('id', '=', 2).execute()
    const [, deleted] = await shop.takes(2)
    t.equal(brief(deleted as Received), 'product.deleted 2.2')
    t.same(
      [first, second].map(secret => isSignedWith(secret, deleted as Received)),
      [false, true]
    )

    await change(`mutation { updateWebhook(id: "${id}", input: { events: [created] }) { ${errors} } }`)
    t.match(
      await change(`mutation { replayWebhook(id: "${id}", since: "start") { webhook { id } ${errors} } }`),
      {
        webhook: { id },
        userErrors: []
      }
    )
    await shop.takes(4)
    t.same(shop.accepted.slice(2).map(brief), ['product.created 1.1', 'product.created 2.1'])
    t.match(
      await change(
        `mutation { updateWebhook(id: "${id}", input: { disabled: true }) { webhook { disabled } } }`
      ),
      {
        webhook: { disabled: true }
      }
    )
    t.match((await ask(`{ webhooks { ${fields} } }`)).data.webhooks, [
      { id, disabled: true, events: ['created'] }
    ])
    t.same(await change(`mutation { deleteWebhook(id: "${id}") { deletedId ${errors} } }`), {
      deletedId: id,
      userErrors: []
    })
    t.same((await ask('{ webhooks { id } }')).data, { webhooks: [] })

    const actor = { subject: await idOf(admin.email), clientId: 'console', address: '127.0.0.1' }
    const recorded = (await events()).filter(
      ({ targetKind }: { targetKind: string }) => targetKind === 'webhook'
    )
    t.same(
      recorded.map(({ action }: { action: string }) => action),
      [
        'webhook.delete',
        'webhook.disable',
        'webhook.replay',
        'webhook.update',
        'webhook.update',
        'webhook.rotate_secret',
        'webhook.add'
      ]
    )
    for (const event of recorded) t.match(event, { targetId: id, actor })
    const trail = await wholeTrail(db)
    for (const secret of [first, second, 'path-secret']) t.notMatch(trail, secret)
  }
)

t.test('a test says that the receiver is silent, before the operation takes too long', async t => {
  const { ask } = await start(t, { privateNetworks: '127.0.0.0/8', graphqlTimeout: 10 })
  const late = new AbortController()
  const silent = await receiver(t, () => void late.abort())
  const add = `mutation ($url: String!) { addWebhook(input: { url: $url }) { webhook { id } } }`
  const { id } = (await ask(add, { url: silent.url })).data.addWebhook.webhook
  // The service's own work, such as its statistics, has other limits.
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const ofTest = 9000
  const timeouts = t.capture(AbortSignal, 'timeout', milliseconds =>
    milliseconds === ofTest ? late.signal : timeout(milliseconds)
  )
  const { data } = await ask(`mutation { testWebhook(id: "${id}") { status error ${errors} } }`)
  const error = 'the receiver did not answer in time'
  t.same(data, { testWebhook: { status: null, error, userErrors: [] } })
  // Milliseconds, of the 10 seconds of the operation.
  t.ok(timeouts.args().flat().includes(ofTest))
})

t.test('wrong values change nothing and say why', async t => {
  const { db, ask } = await start(t)
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
  const refused = async (text: string): Promise<any> =>
    // biome-ignore lint/suspicious/noExplicitAny: the same
    (Object.values((await ask(`mutation { ${text} { ${errors} } }`)).data)[0] as any).userErrors
  const before = await wholeTrail(db)
  for (const url of [
    'https://:password@example.com',
    'ftp://a.example',
    'https://user@a.example/',
    'https://a.example/#x',
    '',
    'https://[',
    'https://'
  ])
    t.match(
      await refused(`addWebhook(input: { url: ${JSON.stringify(url)} })`),
      [{ code: 'INVALID', path: ['input', 'url'] }],
      url
    )
  const url = 'url: "https://a.example"'
  t.match(await refused(`addWebhook(input: { ${url}, events: [] })`), [
    { code: 'INVALID', path: ['input', 'events'] }
  ])
  for (const change of [
    'updateWebhook(id: "x", input: { disabled: true })',
    'replayWebhook(id: "x")',
    'deleteWebhook(id: "x")',
    'testWebhook(id: "x")',
    'rotateWebhookSecret(id: "x")'
  ])
    t.match(await refused(change), [{ code: 'NOT_FOUND', path: ['id'] }], change)
  t.equal(await wholeTrail(db), before)
  const { data } = await ask(`mutation { addWebhook(input: { ${url} }) { webhook { id } } }`)
  const { id } = data.addWebhook.webhook
  t.match(await refused(`replayWebhook(id: "${id}", since: "yesterday")`), [
    { code: 'INVALID', path: ['since'] }
  ])
  t.match(await refused(`rotateWebhookSecret(id: "${id}", overlap: 2592001)`), [{ code: 'INVALID' }])
})

t.test('changes that nobody has released count as behind, also beside templates', async t => {
  const { db, ask } = await start(t)
  const added = await ask(
    `mutation { addWebhook(input: { url: "https://example.com/hooks" }) { webhook { id } ${errors} } }`
  )
  const { id } = added.data.addWebhook.webhook
  await ask(`mutation { updateWebhook(id: "${id}", input: { disabled: true }) { ${errors} } }`)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const { data } = await ask('{ webhooks { behind } products { totalCount } }')
  t.same(data, { webhooks: [{ behind: 2 }], products: { totalCount: 2 } })
})

t.test('a filter without a condition is refused if it would select all templates', async t => {
  const { db, ask } = await start(t)
  const added = await ask(
    `mutation { addWebhook(input: { url: "https://example.com/a" }) { webhook { id } } }`
  )
  const before = await wholeTrail(db)
  const filter = (name: string, input: string) =>
    `mutation ($where: ProductTemplateFilter) { ${name}(${input}) { userErrors { code } } }`
  for (const text of [
    filter('addWebhook', 'input: { url: "https://example.com/b", where: $where }'),
    filter('updateWebhook', `id: "${added.data.addWebhook.webhook.id}", input: { where: $where }`)
  ]) {
    for (const where of [{ id: {} }, { search: '' }, { or: null }, null, undefined])
      t.match((await ask(text, { where })).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], text)
    t.equal(await wholeTrail(db), before)
  }
  const all = filter('addWebhook', 'input: { url: "https://example.com/b", where: $where }')
  t.match((await ask(all, { where: {} })).data, { addWebhook: { userErrors: [] } }, '{} says all')
})
