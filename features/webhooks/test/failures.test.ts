// Runs in test:all only.
/** What happens if receivers do not take what they are sent. */
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { t } from 'tap'
import { listEvents } from '../../../db/audit/read.ts'
import { transact } from '../../../db/transaction.ts'
import { secondsSince } from '../../../domain/timestamp.ts'
import { openDatabase } from '../../../features/database.ts'
import { Metrics } from '../../../index.ts'
import { webhooks } from '../../../store.ts'
import { migratedUrl } from '../../../test/support/database/database.ts'
import { lockChanges } from '../../../test/support/database/lock-changes.ts'
import { addTemplates, database, deleteExpired } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { insertFailed, recordAttempt } from '../rows/deliveries.ts'
import { withWebhooks } from '../rows/tables.ts'
import { brief, type Received, receiver } from './receiver.ts'
import { add, change, now, start, state } from './setup.ts'

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
  t.same(new Set(shop.got.filter(({ data }) => data.id === 1).map(brief)), new Set(['product.updated 1.2']))
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

t.test('a change that cannot be released waits, and webhooks can be listed meanwhile', async t => {
  const url = await migratedUrl(t)
  const store = await openDatabase(url, { databaseQueryTimeout: 2 })
  t.teardown(() => store.destroy())
  const { db } = await start(t, { db: store })
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t)
  const { id } = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  const unlock = await lockChanges(t, url)
  t.match(await state(db, id), { waiting: 0, dead: 0 })
  await unlock()
  t.same((await shop.takes(1)).map(brief), ['product.updated 1.2'])
})

t.test('pauses grow for more than a day; then a message is dead, and the next one has its turn', async t => {
  const metricsRegistry = new Metrics()
  const { db } = await start(t, { metricsRegistry })
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t, ({ data }) => (data.revision === 2 ? 503 : 204))
  const { id } = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  await change(db, 1, { name: 'b' })
  const pauses = new Map<number, number>()
  await until(async () => {
    const [row] = await withWebhooks(db)
      .selectFrom('product_webhook_delivery')
      .selectAll()
      .orderBy('position')
      .execute()
    if (row?.dead) return true
    if (row && row.attempts > 0 && !pauses.has(row.attempts)) {
      pauses.set(row.attempts, (Date.parse(row.time_next ?? '') - Date.parse(row.time_tried ?? '')) / 1000)
      await now(db)
    }
    return false
  })
  const waiting = [...pauses.values()]
  await shop.takes(1)
  t.same(shop.accepted.map(brief), ['product.updated 1.3'])
  // The last two vary around the same.
  const growing = waiting.slice(0, 7)
  t.same(
    growing,
    growing.toSorted((one, other) => one - other)
  )
  const total = waiting.reduce((sum, each) => sum + each, 0)
  t.ok(total > 86_400 && total < 2 * 86_400, String(total))
  await until(async () => (await state(db, id)).waiting === 0)
  t.match(await state(db, id), { dead: 1, behind: 0, lastError: 'the receiver answered with 503' })
  const { text } = await metricsRegistry.text()
  t.match(text, /^product_templates_webhook_attempts_total\{outcome="dead"\} 1$/m)
  t.match(text, /^product_templates_webhook_attempts_total\{outcome="failed"\} 8$/m)
  t.match(text, /^product_templates_webhook_messages\{state="dead"\} 1$/m)
  t.match(text, /^product_templates_webhooks_served 1$/m)

  // What has waited for a day already does not take another one.
  shop.respond = () => 500
  await change(db, 1, { name: 'c' })
  await change(db, 1, { name: 'd' })
  await until(async () => (await state(db, id)).waiting === 2)
  await withWebhooks(db)
    .updateTable('product_webhook_delivery')
    .set({ time_stored: '2026-01-01T00:00:00.000000Z' })
    .where('dead', '=', 0)
    .execute()
  await webhooks.replay(db, id)
  await until(async () => (await state(db, id)).dead === 3)

  shop.respond = () => 204
  await webhooks.replay(db, id, { dead: true })
  t.same(
    (await shop.takes(4)).slice(1).map(brief),
    [2, 4, 5].map(revision => `product.updated 1.${revision}`)
  )
  await until(async () => (await state(db, id)).dead + (await state(db, id)).waiting === 0)
})

t.test('an attempt that was scheduled by a wrong clock is made at once', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 })
  const shop = await receiver(t, () => 500)
  const { id } = await add(db, shop.url)
  await change(db, 1, { name: 'a' })
  await until(async () => (await state(db, id)).waiting === 1)
  shop.respond = () => 204
  await withWebhooks(db)
    .updateTable('product_webhook_delivery')
    .set({ time_next: '2090-01-01T00:00:00.000000Z' })
    .execute()
  await shop.takes(1)
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
  // After the first attempt: the next one, of the short pauses, may come before the last message is tried.
  const pauses = new Map<number, number>()
  await until(async () => {
    const failed = await withWebhooks(db)
      .selectFrom('product_webhook_delivery')
      .selectAll()
      .where('attempts', '=', 1)
      .execute()
    for (const { template_id: id, time_next, time_tried } of failed)
      pauses.set(id, (Date.parse(time_next ?? '') - Date.parse(time_tried ?? '')) / 1000)
    return pauses.size === afters.length
  })
  const bounds = [
    [119, 121],
    [100, 201],
    [3599, 3601],
    [4, 6],
    [4, 6],
    [4, 6]
  ] as const
  for (const [id, [from, to]] of bounds.entries()) {
    const pause = pauses.get(id) ?? 0
    t.ok(pause >= from && pause <= to, `${afters[id]}: ${pause}`)
  }
})

t.test('a receiver that hangs, redirects or never stops answering holds nobody', async t => {
  const { db } = await start(t)
  await addTemplates(db, { id: 1 }, { id: 2 })
  const elsewhere = await receiver(t)
  let [open, givenUp, pouring, poured] = [0, 0, 0, 0]
  const bad = await receiver(t, ({ path, data }, response) => {
    if (path.endsWith('hang')) {
      open++
      response.once('close', () => {
        open--
        givenUp++
      })
      return undefined
    }
    if (path.endsWith('redirect')) {
      response.setHeader('location', elsewhere.url)
      return data.id === 1 ? 302 : 308
    }
    response.writeHead(200)
    pouring++
    response.once('close', () => pouring--)
    const pour = () => {
      do poured += 65_536
      while (!response.destroyed && response.write('x'.repeat(65_536)))
    }
    response.on('drain', pour)
    pour()
    return undefined
  })
  let givenUpBefore: number | undefined
  const good = await receiver(t, () => {
    givenUpBefore ??= givenUp
    return 204
  })
  const ids = await Promise.all(
    ['hang', 'redirect', 'pour'].map(async path => (await add(db, `${bad.url}/${path}`)).id)
  )
  await add(db, good.url)
  for (let turn = 0; turn < 20; turn++) await change(db, 1 + (turn % 2), { name: `${turn}` })
  await good.takes(20)
  t.equal(givenUpBefore, 0, 'it still hangs')
  await until(() => pouring === 0)
  t.ok(poured < 20 * 2 ** 24, `${poured} bytes`)
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
    // At least once: a message may come twice.
    await until(() => new Set(shop.accepted.map(brief)).size === 60)
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
  await until(async () => (await state(db, id)).behind === 0)
  await webhooks.disable(db, id)
  await change(db, 1, { name: 'c' })
  t.match(await state(db, id), { disabled: true, disabledBecause: null, behind: 1 })
  await webhooks.enable(db, id)
  await shop.takes(3)
  await webhooks.delete(db, id)
  t.equal(await webhooks.find(db, id), undefined)
})

t.test('webhooks that 410 disables are in the audit trail, once', async t => {
  const { db } = await start(t)
  await addTemplates(db, ...Array.from({ length: 4 }, (_, id) => ({ id })))
  const answers: ServerResponse[] = []
  const shop = await receiver(t, (_message, response) => {
    answers.push(response)
    if (answers.length === 4) for (const answer of answers) answer.writeHead(410).end()
    return undefined
  })
  const { id } = await add(db, shop.url)
  await sql`update product_template set name = 'changed'`.execute(db)
  await until(async () => (await state(db, id)).disabled)
  const details = { disabledBecause: 'the receiver answered with 410' }
  const events = await listEvents(db, { target: id, action: 'webhook.disable' }, 10)
  t.match(events, [{ subject: null, clientId: null, name: null, details }])
  t.equal(events.length, 1)
})

t.test(
  'what has ended is deleted: a dead message after 30 days, and the secret that was replaced',
  async t => {
    const db = await database(t)
    const { id } = await add(db, 'https://receiver.example.com')
    const message = (position: number) => ({ position, templateId: position, body: '{}' })
    const failed = { attempts: 9, error: 'no', pause: null }
    await transact(db, async transaction => {
      await insertFailed(transaction, id, [
        { ...message(1), ...failed },
        { ...message(2), ...failed },
        { ...message(3), ...failed, pause: 5 }
      ])
    })
    const rows = withWebhooks(db).selectFrom('product_webhook_delivery').selectAll().orderBy('position')
    const days = (await rows.execute()).map(
      ({ time_expires: end }) => end && Math.round(-secondsSince(end) / 86_400)
    )
    t.same(days, [30, 30, null])
    await webhooks.replay(db, id, { dead: true })
    t.same(
      (await rows.execute()).map(({ time_expires: end }) => end),
      [null, null, null],
      'tried again'
    )
    await transact(db, transaction => recordAttempt(transaction, id, message(1), failed))
    await withWebhooks(db)
      .updateTable('product_webhook_delivery')
      .set({ time_expires: '2026-01-01T00:00:00.000000Z' })
      .where('dead', '=', 1)
      .execute()
    await deleteExpired(db)
    t.same(
      (await rows.execute()).map(({ position }) => position),
      [2, 3]
    )

    await webhooks.rotateSecret(db, id, { overlap: 60 })
    const previous = async () =>
      (
        await withWebhooks(db)
          .selectFrom('product_webhook')
          .select('previous_secret')
          .executeTakeFirstOrThrow()
      ).previous_secret
    await deleteExpired(db)
    t.ok(await previous(), 'it still signs')
    await withWebhooks(db)
      .updateTable('product_webhook')
      .set({ time_previous_expires: '2026-01-01T00:00:00.000000Z' })
      .execute()
    await deleteExpired(db)
    t.equal(await previous(), null)
  }
)
