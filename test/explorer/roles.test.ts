// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * The explorer in a real browser: what users of each role are offered, and what they are told if they may not do
 * something.
 */
import type { Page } from 'playwright-core'
import { type Test, t } from 'tap'
import type { Role } from '../../domain/rights.ts'
import { users } from '../../store.ts'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service, user } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

const onlyPublisher = 'Only a publisher can do this: it would delete a template or change “Public”.'

/** Opens the page with a draft, 1, and a public template, 2, which was a draft in its first revision. */
async function open(t: Test, role: Role) {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(
    db,
    { id: 1, name: 'Lamp', publicProduct: false },
    { id: 2, name: 'Chair', publicProduct: false }
  )
  const token = await accessToken(url)
  const publish = 'mutation { updateProduct(id: 2, input: { publicProduct: true }) { userErrors { code } } }'
  await query(url, token, publish)
  const become = (role: Role) => users.update(db, user.email, { role })
  await become(role)
  const stored = async (id: number) =>
    (await query(url, token, `{ product(id: ${id}) { name publicProduct revision } }`)).body.data.product
  const { page, complaints } = await openPage(await launch(t), `${url}/`)
  await logIn(page)
  const go = (place: string) => page.goto(`${url}/${place}`)
  return { db, page, complaints, become, stored, go }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const isPublic = (page: Page) => page.getByLabel('Public: everybody may read the metadata')
/** Waits until the menu of the account says it. */
const waitForRole = async (page: Page, words: string) => {
  await page.click('.account summary')
  await page.locator('.account .menu').getByText(words, { exact: true }).waitFor()
}

t.test('an editor is offered neither to publish nor to delete', needs('chromium'), async t => {
  const { page, complaints, stored, go } = await open(t, 'editor')
  await waitForRole(page, 'Editor: cannot publish or delete')

  await go('#/templates/1/edit')
  await page.getByLabel('Name', { exact: true }).fill('Lantern')
  t.ok(await isPublic(page).isDisabled())
  await page.getByText('Only a publisher can change this.').waitFor()
  t.equal(await button(page, 'Delete').count(), 0)
  t.same(await findBarriers(page), [])
  await photograph(page, 'edit-as-editor')
  await button(page, 'Save revision 2').click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await stored(1), { name: 'Lantern', publicProduct: false, revision: 2 })

  await go('#/templates/2')
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.getByText('A copy of Chair (2)').waitFor()
  t.notOk((await isPublic(page).isChecked()) || (await isPublic(page).isEnabled()), 'a copy is not public')
  await button(page, 'Create').click()
  await page.getByText('Saved as revision 1.').waitFor()
  t.same(await stored(3), { name: 'Chair', publicProduct: false, revision: 1 })

  await go('#/templates/2/history?revision=1')
  await button(page, 'Restore revision 1').click()
  await button(page, 'Restore').click()
  await page.getByText(onlyPublisher).waitFor()
  t.equal((await stored(2)).revision, 2)

  await go('#/?layout=table')
  const state = page.locator('[data-id="1"] [data-column="state"]')
  await state.dblclick()
  t.equal(await page.locator('.cell-editor').count(), 0)
  t.equal(await state.getAttribute('aria-readonly'), 'true')
  await state.press(' ')
  await button(page, 'Change…').click()
  t.notMatch(await page.getByLabel('What change 1 is about').innerText(), 'Public')
  await button(page, 'Cancel').click()
  t.equal(await button(page, 'Delete…').count(), 0)
  t.same(complaints, [])
})

t.test('a user with a rule is told it where templates are written', needs('chromium'), async t => {
  const { db, page, complaints, go } = await open(t, 'editor')
  const told = page.getByText('Your account is limited to')
  await go('#/templates/1/edit')
  await page.getByLabel('Name', { exact: true }).waitFor()
  t.equal(await told.count(), 0)
  await users.update(db, user.email, { where: { and: [{ publicProduct: { equals: false } }] } })
  let readings = 0
  page.on('request', request => {
    if (request.postData()?.includes('viewer {')) readings++
  })
  await page.reload()
  t.equal(await told.innerText(), 'Your account is limited to templates that match: “Not public”.')
  await go('#/new')
  await page.getByRole('heading', { name: 'New template' }).waitFor()
  await told.waitFor()
  t.equal(readings, 1, 'the rule is read once per page load')
  await users.update(db, user.email, { where: { name: { contains: 'Lamp' } } })
  await page.reload()
  t.equal(await told.innerText(), 'Your account is limited to some templates.')
  t.same(complaints, [])
})

t.test('a publisher publishes and deletes', needs('chromium'), async t => {
  const { page, complaints, stored, go } = await open(t, 'publisher')
  await waitForRole(page, 'Publisher')
  await go('#/templates/1/edit')
  await isPublic(page).check()
  t.equal(await page.getByText('Only a publisher').count(), 0)
  await button(page, 'Save revision 2').click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.equal((await stored(1)).publicProduct, true)
  await page.keyboard.press('e')
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Lamp was deleted').waitFor()
  t.same(complaints, [])
})

t.test('a role that changes while the form is open loses nothing', needs('chromium'), async t => {
  const { page, complaints, become, stored, go } = await open(t, 'publisher')
  await go('#/templates/1/edit')
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Lantern')
  await isPublic(page).check()
  await become('editor')
  await button(page, 'Save revision 2').click()
  await page.getByText(onlyPublisher).waitFor()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText(onlyPublisher).waitFor()
  await page.reload()
  await page.getByText('Only a publisher can change this.').waitFor()
  t.equal(await name.inputValue(), 'Lantern')
  await isPublic(page).uncheck()
  t.ok(await isPublic(page).isDisabled(), 'it can be set back, but not changed')
  await become('reader')
  await button(page, 'Save revision 2').click()
  await page.getByText('Your login may read, not change.').waitFor()
  t.equal(await name.inputValue(), 'Lantern')
  await become('editor')
  await button(page, 'Save revision 2').click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await stored(1), { name: 'Lantern', publicProduct: false, revision: 2 })

  await go('#/?layout=table')
  await page.locator('[data-id="1"] [data-column="supply"]').dblclick()
  await become('reader')
  await page.locator('.cell-editor input').fill('7')
  await page.keyboard.press('Enter')
  await page.locator('.table-status').getByText('Your login may read, not change.').waitFor()
  t.equal(await page.locator('[data-id="1"] [data-column="supply"]').innerText(), '7')
  await go('#/templates/1')
  await page.reload()
  await waitForRole(page, 'Reader')
  await page.getByText('Your login may read, not change.').waitFor()
  t.same(complaints, [])
})

t.test('a user without a name is the e-mail address', needs('chromium'), async t => {
  const { page, db } = await open(t, 'reader')
  await page.locator('.account summary').getByText('AB', { exact: false }).waitFor()
  await users.update(db, user.email, { firstName: '', lastName: '' })
  await page.evaluate(() => sessionStorage.clear())
  await page.reload()
  await page
    .locator('.account summary', { hasText: `${user.email[0]?.toUpperCase()}, account of ${user.email}` })
    .waitFor()
})
