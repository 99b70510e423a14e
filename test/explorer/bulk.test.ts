// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: many templates are selected, changed, deleted, and all of it is undone. */
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

const data = (country: string) => JSON.stringify({ attributes: [{ trait_type: 'MadeIn', value: country }] })

t.test('many templates are selected, changed and deleted, and it is undone', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const ids = Array.from({ length: 12 }, (_, id) => id)
  await addTemplates(
    db,
    ...ids.map(id => ({ id, name: `Lamp ${id}`, data: data(id < 6 ? 'Norway' : 'Japan') }))
  )
  const token = await accessToken(url)
  const stored = async () =>
    (
      await query(
        url,
        token,
        '{ allProducts(orderBy: { field: ID, direction: ASC }) { id data publicProduct } }'
      )
    ).body.data.allProducts as { id: number; data: string; publicProduct: boolean }[]
  const before = await stored()
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/#/?order=id`)
  await logIn(page)
  await page.waitForSelector('.template-card')
  await page.getByRole('button', { name: 'Select', exact: true }).click()

  await page.getByRole('checkbox', { name: 'Lamp 1', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Lamp 4', exact: true }).click({ modifiers: ['Shift'] })
  await page.getByRole('checkbox', { name: 'Lamp 3', exact: true }).press(' ')
  await page.getByText('3 selected').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'selected')
  await page.getByRole('button', { name: 'Change…' }).click()
  await page.getByLabel('Trait of change 1').fill('Made in')
  await page.getByLabel('Trait of change 1').press('Enter')
  // The trait, and nothing is sent.
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>('[aria-label="Trait of change 1"]')?.value === 'MadeIn'
  )
  t.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Kind of change 1')
  await page.getByLabel('Value of change 1').fill('Portugal')
  await page.getByRole('button', { name: 'Add another change' }).click()
  await page.getByLabel('What change 2 is about').selectOption('Public')
  await page.getByLabel('Value of change 2').selectOption('No')
  await page.getByText('Norway').first().waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'change-many')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  t.equal(
    await page.evaluate('document.documentElement.scrollWidth'),
    360,
    'nothing is wider than the screen'
  )
  t.same(await findBarriers(page), [])
  await photograph(page, 'change-many-narrow-dark')
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.getByRole('button', { name: 'Change 3 templates' }).click()
  await page.getByText('Changed 3 templates.').waitFor()
  const changed = await stored()
  for (const { id, data: found, publicProduct } of changed) {
    const isChanged = [1, 2, 4].includes(id)
    t.same([found, publicProduct], isChanged ? [data('Portugal'), false] : [before[id]?.data, true], `${id}`)
  }
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('3 templates have their former values again.').waitFor()
  t.same(await stored(), before)

  await page.getByRole('button', { name: 'Select all 12' }).click()
  await page.getByText('12 selected').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete 12 templates' }).click()
  await page.getByText('Deleted 12 templates.').waitFor()
  t.same(await stored(), [])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Restored 12 templates.').waitFor()
  t.same(await stored(), before)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.locator('[aria-checked]').first().waitFor({ state: 'detached' })
  t.same(complaints, [])
})
