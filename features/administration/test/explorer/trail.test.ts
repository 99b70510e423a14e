// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** What administrators see of invitations and of the audit trail, and the pages of the account, in a real browser. */
import { readFile } from 'node:fs/promises'
import { t } from 'tap'
import { recordEvent } from '../../../../db/audit/record.ts'
import { button, dialog, heading, openAs, takeSecret } from '../../../../test/explorer/administer.ts'
import { findBarriers, openPage, photograph } from '../../../../test/explorer/browse.ts'
import { needs } from '../../../../test/support/programs.ts'
import { secret } from '../../../../test/support/service/secrets.ts'
import { user } from '../../../../test/support/service/service.ts'
import { until } from '../../../../test/support/until.ts'

t.test(
  'an invitation shows until a password is chosen, which leads to the login',
  needs('chromium'),
  async t => {
    const { browser, db, page, complaints, go } = await openAs(t)
    await go('#/admin/people')
    await button(page, 'Invite').click()
    await dialog(page).getByLabel('E-mail address').fill('eve@example.com')
    await button(dialog(page), 'Make the link').click()
    const link = await takeSecret(page)
    await page.locator('.pill', { hasText: /^Invited, the link works until/ }).waitFor()
    await photograph(page, 'invited')
    t.same(await findBarriers(page), [])
    await db
      .updateTable('product_password_link')
      .set({ time_expires: '2026-01-01T00:00:00.000000Z' })
      .execute()
    await page.reload()
    await page.locator('.pill', { hasText: 'Invited, the link has expired' }).waitFor()
    await button(page, 'New link').click()
    await button(dialog(page), 'Make the link').click()
    const second = await takeSecret(page)
    await page.locator('.pill', { hasText: /^Invited, the link works until/ }).waitFor()
    t.not(second, link)

    const { page: eve } = await openPage(browser, second)
    await eve.fill('[name=password]', secret('password of Eve'))
    await eve.keyboard.press('Enter')
    await eve.getByRole('heading', { name: 'Your password is set' }).waitFor()
    t.same(await findBarriers(eve), [])
    await photograph(eve, 'password-set')
    await eve.getByRole('link', { name: 'Log in' }).click()
    await eve.fill('[name=username]', 'eve@example.com')
    await eve.fill('[name=password]', secret('password of Eve'))
    await eve.keyboard.press('Enter')
    await eve.waitForSelector('.header')
    await eve.locator('.account summary').click()
    await eve.getByRole('link', { name: 'Password and applications' }).click()
    await eve.getByRole('link', { name: 'Back to the templates' }).click()
    await eve.waitForSelector('.header')
    await page.reload()
    await page.locator('.pill', { hasText: 'Active' }).waitFor()
    t.same(complaints, [])
  }
)

t.test('the audit trail is exported with its filters', needs('chromium'), async t => {
  const { page, complaints, go } = await openAs(t)
  await go('#/admin/people')
  for (const email of ['eve@example.com', 'mallory@example.com']) {
    await button(page, 'Invite').click()
    await dialog(page).getByLabel('E-mail address').fill(email)
    await button(dialog(page), 'Make the link').click()
    await takeSecret(page)
    await go('#/admin/people')
  }
  await go('#/admin/trail?action=user.add')
  await heading(page, 'Audit trail').waitFor()
  const saved = page.waitForEvent('download')
  await button(page, 'Export as CSV').click()
  const file = await saved
  t.equal(file.suggestedFilename(), 'audit.csv')
  const [columns, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  t.match(columns, /^\uFEFF?time,action,actor,/)
  t.equal(lines.length, 2)
  for (const [at, email] of ['mallory@example.com', 'eve@example.com'].entries()) {
    t.match(lines[at], `"user.add","${user.email}"`)
    t.match(lines[at], email)
  }
  t.same(await findBarriers(page), [])
  await photograph(page, 'trail-export')
  t.same(complaints, [])
})

t.test('many events of a kind in a row are folded', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t)
  const actor = { subject: null, clientId: 'shop', name: null, address: null }
  await db.transaction().execute(async transaction => {
    for (let at = 1; at <= 120; at++)
      await recordEvent<string>(transaction, actor, 'media.add', { id: `https://example.com/${at}.png` })
    for (let at = 1; at <= 250; at++)
      await recordEvent<string>(transaction, { ...actor, clientId: 'fair' }, 'media.add', { id: `${at}` })
    for (const id of ['till', 'stall', 'fair']) await recordEvent(transaction, actor, 'client.add', { id })
  })
  await go('#/admin/trail?actor=shop')
  const rows = page.getByRole('list', { name: 'Events' }).locator('> li')
  await button(page, 'Show older').click()
  await rows.getByText('… and 119 more like this').waitFor()
  t.equal(await rows.count(), 5)
  await photograph(page, 'trail-folded')
  await rows.locator('summary').click()
  await page.getByText('https://example.com/1.png').waitFor()
  t.same(await findBarriers(page), [])
  await page.getByLabel('Action').selectOption('Stored a picture')
  // Chosen events are not folded, and the first page of them replaces all others.
  await until(async () => (await rows.count()) === 100)
  await go('#/admin/trail?actor=fair')
  // All of the first page is one line, so the page reads on.
  await rows.getByText('… and 249 more like this').waitFor()
  t.same(complaints, [])
})
