// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The page of webhooks in a real browser: one is added, tested, changed, fails, and is told again. */
import { t } from 'tap'
import { users, webhooks } from '../../../store.ts'
import { button, dialog, heading, takeSecret } from '../../../test/explorer/administer.ts'
import {
  buildExplorer,
  findBarriers,
  launch,
  logIn,
  openPage,
  photograph
} from '../../../test/explorer/browse.ts'
import { needs } from '../../../test/support/programs.ts'
import { addTemplates, user } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { brief, isSignedWith, ok, type Received, receiver } from './receiver.ts'
import { start, state } from './setup.ts'

t.test('a webhook is added, tested, and told again what it has missed', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await start(t, { explorer: true })
  await users.update(db, user.email, { role: 'admin' })
  const shop = await receiver(t)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/admin/webhooks`, {
    permissions: ['clipboard-read', 'clipboard-write']
  })
  await logIn(page)
  await heading(page, 'Webhooks').waitFor()
  await button(page, 'Add a webhook').click()
  await dialog(page).getByLabel('Address').fill('https://ada@example.com')
  await button(dialog(page), 'Add').click()
  await dialog(page).getByText('must be an http(s) URL without user and fragment').waitFor()
  t.same(await findBarriers(page), [])
  await dialog(page).getByLabel('Address').fill(shop.url)
  await dialog(page).getByLabel('Deleted').uncheck()
  await button(dialog(page), 'Add').click()
  const secret = await takeSecret(page)
  await page.getByText('Nothing waits to be sent.').waitFor()

  const place = await button(page, 'Delete').boundingBox()
  await button(page, 'Send a test').click()
  await page.getByText('The receiver answered with 204.').waitFor()
  t.ok(isSignedWith(secret, shop.accepted[0] as Received))
  shop.respond = () => 500
  await button(page, 'Send a test').click()
  await page
    .locator('.notice.warning', { hasText: 'The test failed: the receiver answered with 500.' })
    .waitFor()
  t.same(await button(page, 'Delete').boundingBox(), place, 'the buttons stay where they are')
  t.same(await findBarriers(page), [])

  await addTemplates(db, { id: 7 })
  const { target_id: id } = await db
    .selectFrom('product_audit')
    .select('target_id')
    .where('action', '=', 'webhook.add')
    .executeTakeFirstOrThrow()
  await until(async () => (await state(db, id)).waiting === 1)
  await page.reload()
  await page.getByText('1 message to be tried again.').waitFor()
  await page.getByText('Last failed attempts (1)').click()
  // The next attempt is five seconds later, which a slow page may not show in time.
  await page.getByText(/\d attempts? · the receiver answered with 500 · again at/).waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'webhooks')
  await page.setViewportSize({ width: 360, height: 740 })
  t.equal(
    await page.evaluate('document.documentElement.scrollWidth'),
    360,
    'nothing is wider than the screen'
  )
  await photograph(page, 'webhooks-narrow')

  shop.respond = () => ok
  await button(page, 'Send again').click()
  await button(dialog(page), 'Send again').click()
  const [, told] = await shop.takes(2)
  t.equal(brief(told as Received), 'product.created 7.1')
  await button(page, 'Delete').click()
  await button(dialog(page), 'Delete the webhook').click()
  await page.getByText('There are no webhooks yet.').waitFor()
  t.same(complaints, [])
})

t.test('the templates of a webhook are chosen with the filters', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await start(t, { explorer: true })
  await users.update(db, user.email, { role: 'admin' })
  const data = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'MadeIn', value }] })
  await addTemplates(
    db,
    ...Array.from({ length: 9 }, (_, id) => ({ id, data: data(id < 4 ? 'Norway' : 'Japan') }))
  )
  const { page, complaints } = await openPage(await launch(t), `${url}/#/admin/webhooks`)
  await logIn(page)
  await button(page, 'Add a webhook').click()
  await dialog(page).getByLabel('Address').fill('https://shop.example.com/')
  await page.getByText('9 of 9 templates').waitFor()
  await button(page, 'Choose with filters…').click()
  const filters = page.locator('.filter-dialog')
  await filters.getByLabel(/^Norway/).check()
  await filters.getByText('4 of 9 templates').waitFor()
  t.same(await findBarriers(page), [])
  await button(filters, 'Use these filters').click()
  await filters.waitFor({ state: 'detached' })
  await dialog(page).locator('.pill', { hasText: 'Made in: Norway' }).waitFor()
  await photograph(page, 'webhook-filter')
  await button(dialog(page), 'Add').click()
  await button(page.locator('.once[open]'), 'I have it, close').click()
  await page.getByText('Created, Changed, Deleted · Made in: Norway ·').waitFor()
  const filter = async () => (await webhooks.list(db))[0]?.where
  t.same(await filter(), { and: [{ or: [{ trait: { type: 'MadeIn', equals: 'Norway' } }] }] })

  await button(page, 'Change').click()
  await dialog(page).getByText('As JSON', { exact: true }).click()
  await dialog(page).getByLabel('Filter as JSON').fill('{"id":{"lt":3}}')
  await dialog(page).getByText('A filter that was written by hand.').waitFor()
  await dialog(page).getByText('3 of 9 templates').waitFor()
  await dialog(page).getByLabel('Deleted').uncheck()
  await button(dialog(page), 'Save').click()
  await page.getByText('Created, Changed · a filter that was written by hand').waitFor()
  t.same(await filter(), { id: { lt: 3 } })
  await button(page, 'Change').click()
  t.equal(await dialog(page).getByLabel('Filter as JSON').inputValue(), '{\n  "id": {\n    "lt": 3\n  }\n}')
  await dialog(page).getByLabel('Filter as JSON').fill('{"id"')
  await button(dialog(page), 'Save').click()
  await dialog(page).getByText('must be a JSON object').waitFor()
  await button(dialog(page), 'Cancel').click()
  await button(page, 'Change').click()
  t.match(await dialog(page).getByLabel('Filter as JSON').inputValue(), /"lt": 3/, 'not what was cancelled')
  t.same(complaints, [])
})
