/** What webhooks are sent, and to whom. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { findLastPosition, releaseAllChanges } from '../../../db/templates/changes/changes.ts'
import { webhooks } from '../../../store.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { addTemplates, database } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { withWebhooks } from '../rows/tables.ts'
import { brief, isSignedWith, type Received, receiver } from './receiver.ts'
import { add, change, start, state } from './setup.ts'

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

t.test('a rule and a choice of events select exactly the matching changes', async t => {
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

t.test('a stored rule that cannot be read selects nothing', async t => {
  const db = await database(t)
  const shop = await receiver(t)
  const { id } = await add(db, shop.url, { where: { maxItems: { gte: 5 } } })
  // Before the service starts, because a sender keeps the rule that it began with.
  await sql`update product_webhook set template_where = '{' where id = ${id}`.execute(db)
  await start(t, { db })
  await addTemplates(db, { id: 1, maxItems: 7 })
  await until(async () => (await state(db, id)).behind === 0)
  t.same(shop.got, [])
})

t.test('while a secret rotates, messages have both signatures', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t)
  const { id, secret: first } = await add(db, shop.url)
  const second = remember(await webhooks.rotateSecret(db, id))
  /** Changes the template until a message is signed in a way: whoever sends learns of new secrets within a second. */
  const signed = async (isSo: (message: Received) => boolean): Promise<Received> => {
    for (let turn = shop.accepted.length + 1; ; turn++) {
      await change(db, 1, { name: `${turn}` })
      const message = (await shop.takes(turn)).at(-1) as Received
      if (isSo(message)) return message
      t.ok([first, second].some(secret => isSignedWith(secret, message)))
    }
  }
  const both = await signed(message => isSignedWith(second, message))
  t.match(both.headers['webhook-signature'], /^v1,\S+ v1,\S+$/)
  t.ok(isSignedWith(first, both))
  const third = remember(await webhooks.rotateSecret(db, id, { overlap: 1 }))
  t.notOk(
    isSignedWith(first, await signed(message => isSignedWith(third, message))),
    'an even older one ends'
  )
  const last = await signed(message => !isSignedWith(second, message))
  t.match(last.headers['webhook-signature'], /^v1,\S+$/, 'the old one ends')
  t.ok(isSignedWith(third, last))
})

t.test('addresses that are not public are refused unless they are allowed', async t => {
  const { db } = await start(t, { privateNetworks: '10.0.0.0/8' })
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t)
  const { id } = await add(db, shop.url)
  const { id: named } = await add(db, shop.url.replace('127.0.0.1', 'localhost'))
  await change(db, 1, { name: 'a' })
  await until(async () => (await state(db, id)).waiting + (await state(db, named)).waiting === 2)
  t.equal((await state(db, id)).lastError, 'the address is not public')
  t.equal((await state(db, named)).lastError, 'localhost has an address that is not public')
  t.equal((await webhooks.test(db, id)).error, 'the address is not public')
  t.match(await webhooks.test(db, id, { privateNetworks: '127.0.0.1/32' }), {
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
  await until(async () => (await state(db, id)).behind === 0)
  await webhooks.replay(db, id, { since: '2026-01-01T00:00:00Z' })
  await shop.takes(9)
  await until(async () => (await state(db, id)).behind === 0)
  await webhooks.replay(db, id, { since: '2999-01-01T00:00:00Z' })
  await change(db, 1, { name: 'later' })
  t.same((await shop.takes(10)).slice(9).map(brief), ['product.updated 1.2'], 'nothing is passed over')
  for (const since of ['', 'x', '2026-13-01T00:00:00Z', Buffer.from('changes:1:99').toString('base64url')])
    await t.rejects(webhooks.replay(db, id, { since }), { code: 'PTS_BAD_ARGUMENT' })
})

t.test('without a webhook, nothing follows the feed', async t => {
  const { app, db } = await start(t)
  const { db: off } = await start(t)
  const shop = await receiver(t)
  await addTemplates(db, { id: 1 })
  await addTemplates(off, { id: 1 })
  const other = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  await shop.takes(1)
  await webhooks.delete(db, other.id)
  const beat = async (of: Db) =>
    (await withWebhooks(of).selectFrom('product_webhook_leader').select('beat').executeTakeFirst())?.beat
  t.equal(await beat(off), '')
  t.not(await beat(db), '')
  t.equal(shop.got.length, 1)
  await app.close()
  t.equal(await beat(db), '', 'another process may send at once')
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
  for (const job of ['delete', 'enable', 'disable', 'replay', 'rotateSecret', 'test'] as const)
    await t.rejects(Promise.resolve<unknown>(webhooks[job](db, 'wh_no')), {
      code: 'PTS_WEBHOOK_MISSING',
      message: 'there is no webhook wh_no'
    })
  await t.rejects(webhooks.update(db, 'wh_no', { url }), { code: 'PTS_WEBHOOK_MISSING' })
  const { id } = await add(db, url)
  await t.rejects(webhooks.rotateSecret(db, id, { overlap: -1 }), { code: 'PTS_BAD_ARGUMENT' })
  await webhooks.update(db, id, { where: { id: { equals: 1 } }, events: ['created'] })
  t.match(await webhooks.find(db, id), { url, where: { id: { equals: 1 } }, events: ['created'] })
  await webhooks.update(db, id, { where: null })
  t.match(await webhooks.find(db, id), { where: null, events: ['created'] })
})

t.test('a new webhook gets no change that was committed before, however many are not released', async t => {
  const db = await database(t)
  const ids = Array.from({ length: 4001 }, (_, id) => ({ id }))
  for (let start = 0; start < ids.length; start += 400)
    await addTemplates(db, ...ids.slice(start, start + 400))
  await webhooks.list(db)
  t.equal(await findLastPosition(db), 1001, 'a list of webhooks does not wait for all')
  await webhooks.add(db, { url: 'https://receiver.example.com' })
  t.equal(await findLastPosition(db), 4001)
  t.equal(await releaseAllChanges(db), 4001)
})
