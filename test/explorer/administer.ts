/** What the tests of the page for administrators do in it. */
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Role } from '../../domain/rights.ts'
import { users } from '../../store.ts'
import { remember, secret } from '../support/service/secrets.ts'
import { addTemplates, service, user } from '../support/service/service.ts'
import { buildExplorer, launch, logIn, openPage } from './browse.ts'

/** Logs Ada in, with a role. */
export async function openAs(t: Test, role: Role = 'admin') {
  buildExplorer()
  const corp = { id: 'corp', name: 'Example Corp', issuer: 'https://login.example.com' }
  const loginProviders = JSON.stringify([{ ...corp, client_id: 'us', client_secret: secret('corp') }])
  const { db, url } = await service(t, { explorer: true, loginProviders })
  await addTemplates(db, { id: 1, name: 'Lamp' })
  await users.update(db, user.email, { role })
  const browser = await launch(t)
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, complaints } = await openPage(browser, `${url}/`, { permissions })
  await logIn(page)
  const go = (place: string) => page.goto(`${url}/${place}`)
  return { browser, db, url, page, complaints, go }
}

export const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true })
export const dialog = (page: Page) => page.locator('dialog[open]')
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true, level: 1 })

/** Reads what is shown once, and closes it. */
export async function takeSecret(page: Page): Promise<string> {
  const once = page.locator('.once[open]')
  await once.getByText('It is shown only now').waitFor()
  await page.keyboard.press('Escape')
  const text = remember(await once.locator('code').innerText())
  await once.getByRole('button', { name: /^Copy/ }).click()
  await once.getByText('Copied').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  if (copied !== text) throw new Error('something else was copied')
  await button(once, 'I have it, close').click()
  return text
}

/** Asks for it, and confirms it. */
export async function doIt(page: Page, opener: string, verb = opener): Promise<void> {
  await button(page, opener).click()
  await button(dialog(page), verb).click()
}
