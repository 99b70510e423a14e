/** What webhooks are sent, in which order, and what happens if their receivers do not take it. */
import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Test, t } from 'tap'
import type { Db } from '../../db/schema.ts'
import type { ServiceOptions } from '../../index.ts'
import { Metrics } from '../../index.ts'
import { webhooks } from '../../store.ts'
import { remember } from '../secrets.ts'
import { addTemplates, service } from '../service.ts'
import { until } from '../until.ts'
import { brief, isSignedWith, type Received, receiver } from './receiver.ts'

const start = (t: Test, options: ServiceOptions = {}) =>
  service(t, { webhookPrivateNetworks: '127.0.0.0/8', ...options })

async function add(db: Db, url: string, more: Partial<Parameters<typeof webhooks.add>[1]> = {}) {
  const { webhook, secret } = await webhooks.add(db, { url, ...more })
  return { id: webhook.id, secret: remember(secret) }
}

const change = (db: Db, id: number, values: { name?: string; component_name?: string }) =>
  db.updateTable('product_template').set(values).where('id', '=', id).execute()

const state = async (db: Db, id: string) =>
  (await webhooks.find(db, id)) as NonNullable<Awaited<ReturnType<typeof webhooks.find>>>

/** Lets everything that waits be tried now. */
const now = (db: Db) =>
  db
    .updateTable('product_webhook_delivery')
    .set({ time_next: '2026-01-01T00:00:00.000000Z' })
    .where('time_next', 'is not', null)
    .execute()

t.test('each change comes once, signed, in the form of the standard', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t)
  const { id, secret } = await add(db, shop.url)
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  await addTemplates(db, { id: 2, data: '{"a":1}' })
  await change(db, 1, { name: 'new' })
  await db.deleteFrom('product_template').where('id', '=', 2).execute()
  const messages = await shop.takes(3)
  t.same(messages.map(brief).sort(), ['product.created 2.1', 'product.deleted 2.2', 'product.updated 1.2'])
  const created = messages.find(({ type }) => type === 'product.created') as Received
  t.same(Object.keys(JSON.parse(created.body)), ['type', 'timestamp', 'data'])
  t.match(JSON.parse(created.body).timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  t.same(created.data, {
    id: 2,
    revision: 1,
    hash: `sha256:${hash('sha256', '{"a":1}')}`,
    cursor: Buffer.from('changes:1:2').toString('base64url')
  })
  t.equal(messages.find(({ type }) => type === 'product.deleted')?.data.hash, null)
  t.equal(new Set(messages.map(({ id }) => id)).size, 3)
  for (const message of messages) {
    t.ok(isSignedWith(secret, message))
    t.notOk(isSignedWith(secret, { ...message, body: `${message.body} ` }))
    t.match(message.id, /^msg_[\w-]{24}$/)
    t.match(message.headers, { 'content-type': 'application/json', 'user-agent': 'product-templates' })
  }
  await until(async () => (await state(db, id)).behind === 0)
  t.match(await state(db, id), { url: shop.url, waiting: 0, dead: 0, lastError: null, disabled: false })
  t.equal(shop.got.length, 3)
})

t.test('a rule and a choice of events let through exactly what they say', async t => {
  const { db } = await start(t)
  const shop = await receiver(t)
  const where = { componentName: { equals: 'A' } }
  await add(db, `${shop.url}/rule`, { where })
  await add(db, `${shop.url}/deleted`, { where, events: ['deleted'] })
  await add(db, `${shop.url}/all`)
  await addTemplates(db, { id: 1, componentName: 'A' }, { id: 2, componentName: 'B' })
  await change(db, 1, { name: 'still A' })
  await change(db, 1, { component_name: 'B' })
  await change(db, 1, { name: 'outside' })
  await change(db, 2, { component_name: 'A' })
  await change(db, 1, { component_name: 'A' })
  await shop.takes(5 + 1 + 7)
  const told = (path: string, id: number) =>
    shop.got.filter(message => message.path.endsWith(path) && message.data.id === id).map(brief)
  t.same(told('rule', 1), [
    'product.created 1.1',
    'product.updated 1.2',
    'product.deleted 1.3',
    'product.created 1.5'
  ])
  t.same(told('rule', 2), ['product.created 2.2'])
  t.same([told('deleted', 1), told('deleted', 2)], [['product.deleted 1.3'], []])
  t.same(told('all', 1).length, 5)
})

t.test('a change waits for an earlier one of its template that failed, and for no other', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  let refuses = true
  const shop = await receiver(t, ({ data }) => (data.id === 1 && refuses ? 500 : 204))
  const { id } = await add(db, shop.url)
  for (const name of ['a', 'b', 'c']) {
    await change(db, 1, { name })
    await change(db, 2, { name })
  }
  await shop.takes(3)
  t.same(shop.accepted.map(brief), ['product.updated 2.2', 'product.updated 2.3', 'product.updated 2.4'])
  await until(async () => (await state(db, id)).waiting === 3)
  t.same(shop.got.filter(({ data }) => data.id === 1).map(brief), ['product.updated 1.2'])
  t.match(await state(db, id), { behind: 0, dead: 0, lastError: 'the receiver answered with 500' })
  refuses = false
  await webhooks.replay(db, id)
  await shop.takes(6)
  t.same(shop.accepted.slice(3).map(brief), [
    'product.updated 1.2',
    'product.updated 1.3',
    'product.updated 1.4'
  ])
  const [first, again] = shop.got.filter(message => brief(message) === 'product.updated 1.2') as [
    Received,
    Received
  ]
  t.same([again.id, again.body], [first.id, first.body])
  await until(async () => (await state(db, id)).waiting === 0)
})

t.test('pauses grow for more than a day; then a message is dead, and the next one has its turn', async t => {
  const figures = new Metrics()
  const { db } = await start(t, { figures })
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t, ({ data }) => (data.revision === 2 ? 503 : 204))
  const { id } = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  await change(db, 1, { name: 'b' })
  const waiting: number[] = []
  for (let attempt = 1; attempt < 9; attempt++) {
    const tried = () =>
      db.selectFrom('product_webhook_delivery').selectAll().where('attempts', '=', attempt).executeTakeFirst()
    await until(async () => (await tried()) !== undefined)
    const { time_next, time_tried } = (await tried()) as { time_next: string; time_tried: string }
    waiting.push((Date.parse(time_next) - Date.parse(time_tried)) / 1000)
    await now(db)
  }
  await shop.takes(1)
  t.same(shop.accepted.map(brief), ['product.updated 1.3'])
  t.same(
    waiting,
    waiting.toSorted((one, other) => one - other)
  )
  const total = waiting.reduce((sum, each) => sum + each, 0)
  t.ok(total > 86_400 && total < 2 * 86_400, String(total))
  await until(async () => (await state(db, id)).waiting === 0)
  t.match(await state(db, id), { dead: 1, behind: 0, lastError: 'the receiver answered with 503' })
  const { text } = await figures.text()
  t.match(text, /^product_templates_webhook_attempts_total\{outcome="dead"\} 1$/m)
  t.match(text, /^product_templates_webhook_attempts_total\{outcome="failed"\} 8$/m)
  t.match(text, /^product_templates_webhook_messages\{state="dead"\} 1$/m)
  t.match(text, /^product_templates_webhooks_served 1$/m)

  shop.respond = () => 204
  await webhooks.replay(db, id, { dead: true })
  t.same((await shop.takes(2)).map(brief), ['product.updated 1.3', 'product.updated 1.2'])
  await until(async () => (await state(db, id)).dead + (await state(db, id)).waiting === 0)
})

t.test('Retry-After makes a pause longer, within bounds', async t => {
  const { db } = await start(t)
  const afters = ['120', new Date(Date.now() + 200_000).toUTCString(), '999999999', '-1', 'soon', '1']
  await addTemplates(db, ...afters.map((_, id) => ({ id })))
  const shop = await receiver(t, ({ data }, response) => {
    response.setHeader('retry-after', afters[data.id] ?? '')
    return 429
  })
  await add(db, shop.url)
  for (const id of afters.keys()) await change(db, id, { name: 'x' })
  const failed = () =>
    db
      .selectFrom('product_webhook_delivery')
      .selectAll()
      .where('attempts', '>', 0)
      .orderBy('template_id')
      .execute()
  await until(async () => (await failed()).length === afters.length)
  const pauses = (await failed()).map(
    ({ time_next, time_tried }) => (Date.parse(time_next ?? '') - Date.parse(time_tried ?? '')) / 1000
  )
  const bounds = [
    [119, 121],
    [100, 201],
    [3599, 3601],
    [4, 6],
    [4, 6],
    [4, 6]
  ] as const
  for (const [index, [from, to]] of bounds.entries())
    t.ok((pauses[index] ?? 0) >= from && (pauses[index] ?? 0) <= to, `${afters[index]}: ${pauses[index]}`)
})

t.test('a receiver that hangs, redirects or never stops answering holds nobody', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const elsewhere = await receiver(t)
  let open = 0
  const bad = await receiver(t, ({ path, data }, response) => {
    if (path.endsWith('hang')) {
      open++
      response.once('close', () => open--)
      return undefined
    }
    if (path.endsWith('redirect')) {
      response.setHeader('location', elsewhere.url)
      return data.id === 1 ? 302 : 308
    }
    response.writeHead(200)
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', pour)
    pour()
    return undefined
  })
  const good = await receiver(t)
  const ids = await Promise.all(
    ['hang', 'redirect', 'pour'].map(async path => (await add(db, `${bad.url}/${path}`)).id)
  )
  await add(db, good.url)
  for (let turn = 0; turn < 20; turn++) await change(db, 1 + (turn % 2), { name: `${turn}` })
  await good.takes(20)
  t.ok(open > 0, 'it still hangs')
  await until(async () => (await state(db, ids[2] ?? '')).behind === 0)
  t.match(await state(db, ids[2] ?? ''), { waiting: 0, dead: 0 })
  await until(async () => (await state(db, ids[1] ?? '')).waiting > 0)
  t.match((await state(db, ids[1] ?? '')).lastError, /^the receiver answered with 30[28]$/)
  t.equal(elsewhere.got.length, 0)
  t.ok(open <= 4, 'it has few connections')
})

t.test(
  'a receiver that takes nothing is asked with single messages, and the rest stays in the feed',
  async t => {
    const { db } = await start(t)
    await addTemplates(db, ...Array.from({ length: 60 }, (_, id) => ({ id })))
    const shop = await receiver(t, () => 500)
    const { id } = await add(db, shop.url)
    for (let template = 0; template < 60; template++) await change(db, template, { name: 'x' })
    await until(async () => (await state(db, id)).waiting > 0)
    const { waiting, behind } = await state(db, id)
    t.ok(waiting < 20 && behind > 40, `${waiting} wait, ${behind} in the feed`)
    shop.respond = () => 204
    await webhooks.replay(db, id)
    await shop.takes(60)
    t.equal(new Set(shop.accepted.map(brief)).size, 60)
  }
)

t.test('410 disables a webhook; enabled, it goes on where it was', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t, () => 410)
  const { id } = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  await until(async () => (await state(db, id)).disabled)
  t.match(await state(db, id), { disabledBecause: 'the receiver answered with 410', behind: 1, waiting: 0 })
  await change(db, 1, { name: 'b' })
  shop.respond = () => 204
  await webhooks.enable(db, id)
  t.same((await shop.takes(2)).map(brief), ['product.updated 1.2', 'product.updated 1.3'])
  t.match(await state(db, id), { disabled: false, disabledBecause: null })
  await webhooks.disable(db, id)
  await change(db, 1, { name: 'c' })
  t.match(await state(db, id), { disabled: true, disabledBecause: null, behind: 1 })
  await webhooks.enable(db, id)
  await shop.takes(3)
  await webhooks.remove(db, id)
  t.equal(await webhooks.find(db, id), undefined)
})

t.test('while a secret rotates, messages have both signatures', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t)
  const { id, secret: first } = await add(db, shop.url)
  const second = remember(await webhooks.replaceSecret(db, id))
  await change(db, 1, { name: 'a' })
  const [both] = await shop.takes(1)
  t.match(both?.headers['webhook-signature'], /^v1,\S+ v1,\S+$/)
  for (const secret of [first, second]) t.ok(isSignedWith(secret, both as Received))
  const third = remember(await webhooks.replaceSecret(db, id, { keepOld: 1 }))
  /** Changes the template until a message has no signature of a secret. */
  const without = async (secret: string) => {
    for (let turn = 2; ; turn++) {
      await change(db, 1, { name: `${turn}` })
      const message = (await shop.takes(turn)).at(-1) as Received
      if (!isSignedWith(secret, message)) return message
    }
  }
  t.ok(isSignedWith(third, await without(first)), 'an even older one does not sign')
  const message = await without(second)
  t.ok(isSignedWith(third, message), 'the old one ends')
  t.match(message.headers['webhook-signature'], /^v1,\S+$/)
})

t.test('addresses that are not public are refused unless they are allowed', async t => {
  const { db } = await start(t, { webhookPrivateNetworks: '10.0.0.0/8' })
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t)
  const { id } = await add(db, shop.url)
  const { id: named } = await add(db, shop.url.replace('127.0.0.1', 'localhost'))
  await change(db, 1, { name: 'a' })
  await until(async () => (await state(db, id)).waiting + (await state(db, named)).waiting === 2)
  t.equal((await state(db, id)).lastError, 'the address is not public')
  t.equal((await state(db, named)).lastError, 'localhost has an address that is not public')
  t.equal((await webhooks.test(db, id)).error, 'the address is not public')
  t.match(await webhooks.test(db, id, { webhookPrivateNetworks: '127.0.0.1/32' }), {
    status: 204,
    error: null
  })
  t.equal(shop.got[0]?.type, 'webhook.test')
})

t.test('a replay sends everything since a moment again', async t => {
  const { db } = await start(t)
  const shop = await receiver(t, ({ data }) => (data.id === 3 ? 500 : 204))
  const { id } = await add(db, shop.url)
  await addTemplates(db, { id: 1 }, { id: 2 }, { id: 3 })
  await shop.takes(2)
  await until(async () => (await state(db, id)).behind === 0)
  shop.respond = () => 204
  await webhooks.replay(db, id, { since: 'start' })
  t.equal((await shop.takes(5)).slice(2).length, 3)
  await until(async () => (await state(db, id)).behind === 0)
  t.match(await state(db, id), { waiting: 0, dead: 0 })
  const cursor = shop.got.find(({ data }) => data.id === 2)?.data.cursor ?? ''
  await webhooks.replay(db, id, { since: cursor })
  t.same((await shop.takes(6)).slice(5).map(brief), ['product.created 3.1'])
  await webhooks.replay(db, id, { since: '2026-01-01T00:00:00Z' })
  await shop.takes(9)
  await webhooks.replay(db, id, { since: '2999-01-01T00:00:00Z' })
  await change(db, 1, { name: 'later' })
  t.same((await shop.takes(10)).slice(9).map(brief), ['product.updated 1.2'], 'nothing is passed over')
  for (const since of ['', 'x', '2026-13-01T00:00:00Z', Buffer.from('changes:1:99').toString('base64url')])
    await t.rejects(webhooks.replay(db, id, { since }), { code: 'PTS_BAD_ARGUMENT' })
})

t.test('without a webhook, and with webhooks: false, nothing follows the feed', async t => {
  const { db } = await start(t)
  const { db: off } = await start(t, { webhooks: false })
  const shop = await receiver(t)
  await add(off, shop.url)
  await addTemplates(db, { id: 1 })
  await addTemplates(off, { id: 1 })
  const other = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  await shop.takes(1)
  await webhooks.remove(db, other.id)
  const beat = async (of: Db) =>
    (await of.selectFrom('product_webhook_leader').select('beat').executeTakeFirst())?.beat
  t.equal(await beat(off), '')
  t.not(await beat(db), '')
  t.equal(shop.got.length, 1)
  await setImmediate()
})

t.test('wrong values are refused', async t => {
  const { db } = await start(t)
  const url = 'https://shop.example.com/hook'
  for (const given of [
    { url: 'shop.example.com' },
    { url: 'ftp://shop.example.com' },
    { url: 'https://user:password@shop.example.com' },
    { url: 'https://shop.example.com/#x' },
    { url: 'https://' },
    { url: 'https://[::1' },
    { url: `https://shop.example.com/${'x'.repeat(2000)}` },
    { url, where: {} },
    { url, where: { nothing: 1 } },
    { url, events: [] },
    { url, events: ['changed'] },
    { url, more: 1 }
  ])
    await t.rejects(
      webhooks.add(db, given as { url: string }),
      { code: 'PTS_BAD_ARGUMENT' },
      JSON.stringify(given)
    )
  for (const job of ['remove', 'enable', 'disable', 'replay', 'replaceSecret', 'test'] as const)
    await t.rejects(webhooks[job](db, 'wh_no') as Promise<unknown> as Promise<void>, {
      code: 'PTS_ACCOUNT_MISSING',
      message: 'there is no webhook wh_no'
    })
  await t.rejects(webhooks.update(db, 'wh_no', { url }), { code: 'PTS_ACCOUNT_MISSING' })
  const { id } = await add(db, url)
  await t.rejects(webhooks.replaceSecret(db, id, { keepOld: -1 }), { code: 'PTS_BAD_ARGUMENT' })
  await webhooks.update(db, id, { where: { id: { equals: 1 } }, events: ['created'] })
  t.match(await webhooks.find(db, id), { url, where: { id: { equals: 1 } }, events: ['created'] })
  await webhooks.update(db, id, { where: null })
  t.match(await webhooks.find(db, id), { where: null, events: ['created'] })
})
