// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** A double click on a button that writes, over a slow network: one request, and the button shows that it runs. */
import { type Test, t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { button, dialog, openAs } from './administer.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'
import { holdMutations, isBusy } from './held.ts'

async function openStore(t: Test) {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 7, name: 'Lamp' }, { id: 8, name: 'Desk' })
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/`)
  await logIn(page)
  const names = async (): Promise<string[]> => {
    const { body } = await query(
      url,
      token,
      '{ allProducts(orderBy: { field: ID, direction: ASC }) { name } }'
    )
    return body.data.allProducts.map(({ name }: { name: string }) => name)
  }
  return { url, page, complaints, names, ...(await holdMutations(page)) }
}

t.test('a template is created once, even if the answer is lost', needs('chromium'), async t => {
  const { url, page, names, keys, clickTwice } = await openStore(t)
  await page.goto(`${url}/#/new`)
  await page.getByLabel('Name', { exact: true }).fill('Chair')
  const create = button(page, 'Create')
  const request = await clickTwice(create)
  t.equal(await isBusy(create), 'true')
  t.same(await findBarriers(page), [])
  await photograph(page, 'creating')
  // The service creates it, and the connection breaks.
  await request.fetch()
  await request.abort()
  await page.getByText('The service did not answer. What you typed is kept').waitFor()
  t.equal(await isBusy(create), null)
  await page.waitForFunction(() => document.activeElement?.textContent === 'Create')
  await page.reload()
  await (await clickTwice(create)).continue()
  await page.getByText('Saved as revision 1.').waitFor()
  t.same(await names(), ['Lamp', 'Desk', 'Chair'])
  t.equal(new Set(keys).size, 1, 'the same request has the same key')

  await page.goto(`${url}/#/new`)
  await page.getByLabel('Name', { exact: true }).fill('Chair')
  await (await clickTwice(create)).continue()
  await page.getByText('Saved as revision 1.').waitFor()
  t.same(await names(), ['Lamp', 'Desk', 'Chair', 'Chair'], 'an equal one on purpose is another one')
})

t.test('saving, deleting and restoring run once', needs('chromium'), async t => {
  const { url, page, complaints, names, clickTwice } = await openStore(t)
  await page.goto(`${url}/#/templates/7/edit`)
  await page.getByLabel('Name', { exact: true }).fill('Lantern')
  const save = button(page, 'Save revision 2')
  const change = await clickTwice(save)
  await change.fetch()
  await change.abort()
  await page.getByText('The service did not answer. What you typed is kept').waitFor()
  await (await clickTwice(save)).continue()
  await page.getByText('Saved as revision 2.').waitFor()
  await page.keyboard.press('e')
  await button(page, 'Delete').click()
  const confirm = button(dialog(page), 'Delete')
  const deletion = await clickTwice(confirm)
  t.equal(await isBusy(confirm), 'true')
  await page.keyboard.press('Escape')
  await deletion.abort()
  await dialog(page).getByText('The service did not answer').waitFor()
  await (await clickTwice(confirm)).continue()
  await page.getByText('Lantern was deleted').waitFor()
  await button(page, 'Restore revision 2').click()
  await (await clickTwice(button(dialog(page), 'Restore'))).continue()
  await page.locator('.traits, .market, h1').getByText('Lantern').first().waitFor()
  t.same(await names(), ['Lantern', 'Desk'])
  t.same(
    complaints.filter(text => !text.includes('ERR_FAILED')),
    []
  )
})

t.test('a change of many and its undoing run once', needs('chromium'), async t => {
  const { page, complaints, names, clickTwice } = await openStore(t)
  await button(page, 'Select').click()
  await page.getByRole('checkbox', { name: 'Lamp' }).click()
  await page.getByRole('checkbox', { name: 'Desk' }).click()
  await button(page, 'Change…').click()
  await page.getByLabel('What change 1 is about').selectOption('Name')
  await page.getByLabel('Value of change 1').fill('Thing')
  const change = button(page, 'Change 2 templates')
  const request = await clickTwice(change)
  t.equal(await isBusy(change), 'true')
  await request.continue()
  await page.getByText('Changed 2 templates.').waitFor()
  const undo = button(page, 'Undo')
  const undoing = await clickTwice(undo)
  t.equal(await isBusy(undo), 'true')
  await undoing.continue()
  await page.getByText('2 templates have their former values again.').waitFor()
  t.same(await names(), ['Lamp', 'Desk'])
  t.same(complaints, [])
})

t.test('an administrator invites somebody and adds a client once', needs('chromium'), async t => {
  const { page, go, complaints } = await openAs(t)
  const { clickTwice } = await holdMutations(page)
  await go('#/admin')
  await button(page, 'Invite').click()
  await page.getByLabel('E-mail address', { exact: true }).fill('grace@example.com')
  const submit = button(dialog(page), 'Make the link')
  const invitation = await clickTwice(submit)
  t.equal(await isBusy(submit), 'true')
  await invitation.continue()
  await button(page, 'I have it, close').click()
  await go('#/admin/clients')
  await button(page, 'Add a client').click()
  await page.getByLabel('Id', { exact: true }).fill('shop')
  await page.getByLabel('Redirect URIs').fill('https://shop.example/back')
  await (await clickTwice(button(dialog(page), 'Add'))).continue()
  await button(page, 'I have it, close').click()
  t.same(complaints, [])
})
