// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * The page for administrators in a real browser: how people come, change and go, and what the audit trail tells of it.
 */
import { t } from 'tap'
import { findUser } from '../../../../accounts/users.ts'
import { button, dialog, doIt, heading, openAs, takeSecret } from '../../../../test/explorer/administer.ts'
import { openPage } from '../../../../test/explorer/browse.ts'
import { needs } from '../../../../test/support/programs.ts'
import { remember } from '../../../../test/support/service/secrets.ts'
import { user } from '../../../../test/support/service/service.ts'

const password = remember('harbour-violin-s3cr3t-kettle')

t.test('an administrator invites somebody, changes and ends what they may do', needs('chromium'), async t => {
  const { browser, db, url, page, complaints } = await openAs(t)
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await button(page, 'Invite').click()
  await dialog(page).getByLabel('E-mail address').fill('eve@example.com')
  await dialog(page).getByLabel('First name').fill('Eve')
  await dialog(page).getByLabel('Role').selectOption('publisher')
  await dialog(page).getByText('As JSON', { exact: true }).click()
  const rule = dialog(page).getByLabel('Rule as JSON')
  await rule.fill('{"color":"red"}')
  await button(dialog(page), 'Make the link').click()
  await dialog(page).getByText('Field "color" is not defined by type "ProductTemplateFilter".').waitFor()
  await dialog(page).getByText('The service does not understand this filter.').waitFor()
  t.equal(complaints.splice(0).length, 2, 'the browser complains of the status 400, also of the preview')
  await rule.fill('Lamp')
  await button(dialog(page), 'Make the link').click()
  await dialog(page).getByText('The rule must be a JSON object').waitFor()
  await rule.fill('{"name":{"equals":"Lamp"}}')
  await button(dialog(page), 'Make the link').click()
  const link = await takeSecret(page)
  t.same((await findUser(db, 'eve@example.com'))?.wallets, [])
  await heading(page, 'Eve').waitFor()
  t.equal(await page.title(), 'Eve · Templates')
  await page.getByRole('link', { name: 'All people' }).click()
  await page.getByRole('link', { name: 'Eve' }).waitFor()
  t.equal(await page.title(), 'People · Templates')
  await page.goBack()
  await heading(page, 'Eve').waitFor()
  t.notMatch(await page.content(), link, 'the page keeps no link')
  t.notMatch(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage])), link)

  const eve = await openPage(browser, link)
  await eve.page.fill('[name=password]', password)
  await eve.page.keyboard.press('Enter')
  await eve.page.getByText('Your password is').waitFor()
  await eve.page.goto(`${url}/#/templates/1/edit`)
  await eve.page.fill('[name=username]', 'eve@example.com')
  await eve.page.fill('[name=password]', password)
  await eve.page.keyboard.press('Enter')
  await button(eve.page, 'Delete').waitFor()

  await page.reload()
  await page.getByText('2 sessions. A login to this page makes two').waitFor()
  await page.getByLabel('Role').selectOption('editor')
  await button(page, 'Save').click()
  await dialog(page).getByText('Role: Publisher → Editor.').waitFor()
  await button(dialog(page), 'Save').click()
  await page.getByText('neither publishes nor deletes them', { exact: false }).first().waitFor()
  await eve.page.reload()
  await eve.page.getByText('Only a publisher can change this.').waitFor()
  t.equal(await button(eve.page, 'Delete').count(), 0)

  await page.getByText('Country, mobile number, wallets').click()
  await page.getByLabel('Country').fill('Norway')
  await page.getByLabel('Wallets').fill(' 0xA1\n\n0xB2')
  await button(page, 'Save').click()
  await dialog(page).getByText('Country: none → Norway.').waitFor()
  await dialog(page).getByText('Wallets: none → 0xA1, 0xB2.').waitFor()
  await button(dialog(page), 'Save').click()
  await dialog(page).waitFor({ state: 'detached' })
  t.match(await findUser(db, 'eve@example.com'), { country: 'Norway', wallets: ['0xA1', '0xB2'], mobile: '' })

  await doIt(page, 'End sessions')
  await page.getByText('Not logged in').waitFor()
  await eve.page.reload()
  await eve.page.getByText('Your login has ended.').waitFor()
  await doIt(page, 'Reset password', 'Make the link')
  t.not(await takeSecret(page), link)
  await doIt(page, 'Disable')
  await page.getByText('Disabled', { exact: true }).waitFor()
  await doIt(page, 'Enable')
  await button(page, 'Delete').click()
  await heading(page, 'Delete Eve (eve@example.com)?').waitFor()
  await button(dialog(page), 'Delete Eve').click()
  await heading(page, 'People').waitFor()
  await page.getByText(user.email).waitFor()
  t.equal(await page.getByText('eve@example.com').count(), 0)

  await page.getByRole('link', { name: 'Audit trail' }).click()
  const told = page.getByRole('list', { name: 'Events' })
  await told.getByText('invited eve@example.com as publisher').waitFor()
  const lines = await told.locator('li > p:first-child').allInnerTexts()
  t.same(lines.slice(0, 4), [
    'ada@example.com deleted eve@example.com',
    'ada@example.com enabled eve@example.com',
    'ada@example.com disabled eve@example.com',
    'ada@example.com made a password link for eve@example.com'
  ])
  t.ok(lines.includes('ada@example.com changed eve@example.com: role from publisher to editor'))
  t.ok(lines.includes('eve@example.com chose a password with a link'))
  await page.getByLabel('Action').selectOption('Logged in')
  await page.getByLabel('By: e-mail or client').fill('EVE@example.com')
  await page.waitForFunction(() => document.querySelectorAll('.admin-list li').length === 1)
  t.equal(await told.locator('li > p:first-child').innerText(), 'eve@example.com logged in')
  // Both days are whole days of the reader's calendar.
  const day = (offset: number) =>
    page.evaluate(days => {
      const then = new Date(Date.now() + days * 86_400_000)
      return [then.getFullYear(), then.getMonth() + 1, then.getDate()]
        .map(part => String(part).padStart(2, '0'))
        .join('-')
    }, offset)
  await page.getByLabel('From').fill(await day(-1))
  await page.getByLabel('Until').fill(await day(-1))
  await page.getByText('No recorded event matches.').waitFor()
  await page.getByLabel('Until').fill(await day(0))
  await told.getByText('logged in').waitFor()
  t.same(complaints, [])
})
