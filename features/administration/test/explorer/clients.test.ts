// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The page for administrators in a real browser: clients, and who does not get there. */
import { t } from 'tap'
import { findUserByEmail } from '../../../../db/accounts/users.ts'
import { users } from '../../../../store.ts'
import { button, dialog, doIt, heading, openAs, takeSecret } from '../../../../test/explorer/administer.ts'
import { findBarriers } from '../../../../test/explorer/browse.ts'
import { tokenRequest } from '../../../../test/support/http/http.ts'
import { needs } from '../../../../test/support/programs.ts'
import { addUser, client, user } from '../../../../test/support/service/service.ts'

t.test('an administrator adds a client and replaces secrets', needs('chromium'), async t => {
  const { url, page, complaints, go } = await openAs(t)
  await go('#/admin/clients')
  await button(page, 'Add a client').click()
  await dialog(page).getByLabel('Id', { exact: true }).fill('shop')
  await button(dialog(page), 'Add').click()
  await dialog(page).getByText('The grant authorization_code requires a redirect URI.').waitFor()
  await dialog(page).getByLabel('Redirect URIs').fill('https://shop.example.com/callback\n')
  await button(dialog(page), 'Add').click()
  await takeSecret(page)
  await page.getByLabel('Name', { exact: true }).fill('Web shop')
  await doIt(page, 'Save')
  await heading(page, 'Web shop').waitFor()
  await doIt(page, 'Delete', 'Delete Web shop')
  await heading(page, 'Clients').waitFor()

  await page.getByRole('link', { name: client.id }).click()
  await button(page, 'Replace secret').click()
  await dialog(page).getByLabel('The old secret').selectOption('works for 1 hour')
  await button(dialog(page), 'Replace').click()
  const fresh = await takeSecret(page)
  const ask = async (secret: string) => {
    const authorization = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`
    return (await tokenRequest(url, {}, { authorization })).status
  }
  t.same([await ask(fresh), await ask(client.secret), await ask('wrong')], [200, 200, 401])
  await page.getByText('the old one was to work for 1 hour more').waitFor()
  await doIt(page, 'Disable')
  await button(page, 'Enable').waitFor()
  t.equal(await ask(fresh), 401)

  await page.getByRole('link', { name: 'Providers' }).click()
  await page.getByText('Example Corp').waitFor()
  t.same(complaints, [])
})

t.test(
  'what one does to oneself asks twice, and the last administrator stays',
  needs('chromium'),
  async t => {
    const { db, page, complaints, go } = await openAs(t)
    const id = (await findUserByEmail(db, user.email))?.id
    await go(`#/admin/people/${id}`)
    await page.getByLabel('Role').selectOption('reader')
    await doIt(page, 'Save')
    await heading(page, 'Do this to yourself?').waitFor()
    await button(dialog(page), 'Save, I am sure').click()
    await dialog(page).getByText('This is the last administrator.').waitFor()
    await addUser(db, { email: 'root@example.com', role: 'admin' })
    await button(dialog(page), 'Save, I am sure').click()
    await heading(page, 'Only for administrators').waitFor()
    t.equal(await page.getByRole('link', { name: 'People', exact: true }).count(), 0)
    t.same(complaints, [])
  }
)

t.test('an editor has no such page, and a new administrator logs in again', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t, 'editor')
  await page.getByRole('link', { name: 'Lamp' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'People', exact: true }).count(), 0)
  await go('#/admin/trail')
  await heading(page, 'Only for administrators').waitFor()
  t.same(await findBarriers(page), [])
  await users.update(db, user.email, { role: 'admin' })
  await page.reload()
  await button(page, 'Log in again').click()
  await heading(page, 'Audit trail').waitFor()
  t.same(complaints, [])
})
