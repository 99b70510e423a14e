// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: many templates are selected, changed, deleted, and all of it is undone. */
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service, storedTemplates } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'
import { noteOf, problemOf, typeOver } from './typing.ts'

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

t.test('the values of many templates are checked as in the form', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const ids = [1, 2, 3, 4]
  const traits = (id: number) => [
    { trait_type: 'Price EUR', value: `${id}9.90` },
    { trait_type: 'Delivered', value: `2026-03-0${id}` },
    { trait_type: 'Weight', value: 300 + id }
  ]
  await addTemplates(
    db,
    ...ids.map(id => ({ id, name: `Lamp ${id}`, data: JSON.stringify({ attributes: traits(id) }) }))
  )
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?order=id`, { locale: 'de-DE' })
  await logIn(page)
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByRole('button', { name: 'Select all 4' }).click()
  await page.getByRole('button', { name: 'Change…' }).click()
  const field = (what: string, change: number) => page.getByLabel(`${what} ${change}`)
  const add = page.getByRole('button', { name: 'Add another change' })
  const save = page.getByRole('button', { name: 'Change 4 templates' })
  const alert = page.getByRole('dialog').getByRole('alert')

  await typeOver(field('Trait of change', 1), 'price eur')
  await typeOver(field('Value of change', 1), 'bald')
  await page.keyboard.press('Tab')
  t.equal(await noteOf(field('Value of change', 1)), 'Unlike the other values: must be a number')
  await typeOver(field('Value of change', 1), '1.234,50 €')
  await add.click()
  await field('Trait of change', 2).fill('Delivered')
  await typeOver(field('Value of change', 2), '3.4.2026')
  await add.click()
  await typeOver(field('Trait of change', 3), 'weight')
  await page.keyboard.press('Tab')
  t.equal(await field('Kind of change', 3).inputValue(), 'number', 'as in the other templates')
  await typeOver(field('Value of change', 3), 'schwer')
  await save.click()
  await alert.getByText('Correct or confirm the value.').waitFor()
  await typeOver(field('Value of change', 3), '350')
  await add.click()
  await field('What change', 4).selectOption('Name')
  await field('Value of change', 4).fill('x'.repeat(2000))
  t.same(await findBarriers(page), [])
  await photograph(page, 'change-many-forms')
  await save.click()
  await alert.getByText(/^Name must have at most/).waitFor()
  await field('Value of change', 4).fill('Lamp')
  await save.press('Enter')
  await page.getByText('Changed 4 templates.').waitFor()
  t.equal(await page.locator('.bulk-bar:focus').count(), 1, 'the keyboard stays in the bar')
  const stored = await storedTemplates(db)
  t.same(
    stored.map(({ data }) => JSON.parse(data).attributes.map(({ value }: { value: unknown }) => value)),
    ids.map(() => ['1234.50', '2026-04-03', 350])
  )
  t.same(complaints, [])
})

t.test('a value unlike the others is confirmed, and the trait keeps its kind', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const dataOf = (id: number) =>
    JSON.stringify({ attributes: [{ trait_type: 'Price EUR', value: `${id}.95` }] })
  await addTemplates(
    db,
    ...Array.from({ length: 24 }, (_, id) => ({ id, name: `Lamp ${id}`, data: dataOf(id) }))
  )
  const list = `${url}/#/?order=id`
  const { page, complaints } = await openPage(await launch(t), list, { locale: 'de-DE' })
  await logIn(page)
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const id of [1, 2, 3]) await page.getByRole('checkbox', { name: `Lamp ${id}`, exact: true }).click()
  await page.getByRole('button', { name: 'Change…' }).click()
  const trait = page.getByLabel('Trait of change 1')
  const value = page.getByLabel('Value of change 1')
  await trait.fill('Word')
  await typeOver(value, 'soon')
  await trait.fill('Price EUR')
  await page.getByRole('dialog').getByText('Price EUR: 2,95 EUR becomes').waitFor()
  t.equal(
    await problemOf(value),
    'Unlike the other values: must be a number',
    'typed before the trait was named'
  )
  await typeOver(value, 'abc')
  const save = page.getByRole('button', { name: 'Change 3 templates' })
  await save.click()
  await page.getByRole('alert').getByText('Correct or confirm the value.').waitFor()
  t.equal(await problemOf(value), 'Unlike the other values: must be a number')
  const stored = (await storedTemplates(db)).map(({ data }) => data)
  t.notOk(stored.includes(dataOf(1).replace('1.95', 'abc')), 'nothing is written')
  await page.getByLabel('Write it all the same').check()
  await typeOver(value, 'abcd')
  await save.click()
  t.equal(await problemOf(value), 'Unlike the other values: must be a number', 'only this text is confirmed')
  await typeOver(value, 'abc')
  await page.getByLabel('Write it all the same').check()
  t.same(await findBarriers(page), [])
  await photograph(page, 'change-many-unlike')
  await save.click()
  await page.getByText('Changed 3 templates.').waitFor()

  await page.goto(list)
  await page.reload()
  const price = page.locator('.facet').filter({ hasText: 'Price EUR' })
  await price.getByLabel('Price EUR, from').waitFor()
  await price.getByText('abc').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'range-with-a-word')
  await page.goto(`${url}/#/templates/1/edit`)
  const inForm = page.getByLabel('Value of trait 1', { exact: true })
  await inForm.waitFor()
  t.equal(await noteOf(inForm), 'Kept as typed, unlike the other values: must be a number')
  await page.goto(`${list}&layout=table`)
  await page.locator('[data-id="5"] [data-column="trait.Price EUR"]').focus()
  await page.keyboard.type('soon\n')
  await page.getByRole('alert').getByText('must be a number').waitFor()
  t.same(complaints, [])
})
