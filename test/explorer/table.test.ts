// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * The explorer in a real browser: the table, its columns and orders, editing in its cells, and what happens if two do
 * so.
 */
import type { Page } from 'playwright-core'
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'
import { waitUntilSaved } from './typing.ts'

/** Not as a program would write it, so that it shows whether only a value was changed. */
const data = (country: string) => `{ "description": "Made by\\nhand",
  "attributes": [ { "trait_type": "MadeIn",  "value": "${country}" }, { "trait_type": "UnitsProduced", "value": 25 } ] }`
const countries = ['Norway', 'Japan', 'Peru']
const templates = Array.from({ length: 240 }, (_, id) => ({
  id,
  name: `Lamp with a name that is long enough to be cut no. ${id}`,
  maxItems: 1000 - id,
  data: data(countries[id % 3] as string)
}))

const cell = (page: Page, id: number, column: string) =>
  page.locator(`[data-id="${id}"] [data-column="${column}"]`)

/** Waits until a cell has the focus; undefined: none has. */
const waitForFocus = (page: Page, id: number | undefined, column?: string) =>
  page.waitForFunction(
    ([id, column]) => {
      const found = document.activeElement?.closest<HTMLElement>('[data-column]')
      return found?.closest<HTMLElement>('[data-id]')?.dataset.id === id && found?.dataset.column === column
    },
    [id?.toString(), column] as const
  )

/** Presses keys faster than the page renders, and waits until it has rendered. */
const pressWithinFrame = (page: Page, ...keys: string[]) =>
  page.evaluate(async keys => {
    for (const key of keys)
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
      )
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
  }, keys)

const stored = async (url: string, token: string, id: number) =>
  (await query(url, token, `{ product(id: ${id}) { name maxItems blockchainId data revision } }`)).body.data
    .product

const changeElsewhere = (url: string, token: string, id: number, input: string) =>
  query(url, token, `mutation { updateProduct(id: ${id}, input: { ${input} }) { userErrors { code } } }`)

/** Waits until a template is the first one. The list before may have its row, too. */
const waitForFirst = (page: Page, id: number) =>
  page.waitForFunction(
    id => document.querySelector<HTMLElement>('.table [data-id]')?.dataset.id === id,
    String(id)
  )

t.test('columns, orders, keys and the selection', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...templates)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?order=id`)
  await logIn(page)
  await page.waitForSelector('.template-card')
  await page.getByRole('button', { name: 'Cards', exact: true }).click()
  await page.getByRole('button', { name: 'Small cards' }).click()
  await page.getByRole('button', { name: 'Table' }).click()
  await cell(page, 0, 'trait.MadeIn').waitFor()
  t.equal(new URL(page.url()).hash, '#/?order=id&layout=table')
  t.same(await findBarriers(page), [])
  await photograph(page, 'table')

  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Search columns').fill('units')
  await page.getByLabel('Units produced').check()
  t.same(await findBarriers(page), [])
  await page.keyboard.press('Escape')
  t.equal(await cell(page, 3, 'trait.UnitsProduced').innerText(), '25')
  await page.goto(`${url}/#/`)
  await page.reload()
  await cell(page, 239, 'trait.UnitsProduced').waitFor()
  t.pass('the view and the columns are remembered')

  await page.getByRole('columnheader', { name: 'Max items' }).getByRole('button').click()
  await page.waitForURL(/order=supply/)
  await waitForFirst(page, 239)
  await page.getByRole('columnheader', { name: 'Max items' }).getByRole('button').click()
  await page.waitForURL(/order=-supply/)
  await waitForFirst(page, 0)
  t.equal(await page.textContent('[aria-sort=descending]'), 'Max items ↓')
  await page.getByRole('columnheader', { name: 'Made in' }).getByRole('button').click()
  await page.waitForURL(/order=trait.MadeIn/)
  await waitForFirst(page, 1)
  t.pass('Japan comes first')

  await page.goto(`${url}/#/?layout=table&order=id`)
  await cell(page, 0, 'name').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await waitForFocus(page, 1, 'trait.MadeIn')
  await page.keyboard.press('Tab')
  await waitForFocus(page, 1, 'trait.UnitsProduced')
  await page.keyboard.press('Tab')
  await waitForFocus(page, 1, 'state')
  await page.keyboard.press('End')
  await waitForFocus(page, 239, 'state')
  t.equal(await page.locator('[data-id="239"]').getAttribute('aria-rowindex'), '241')
  await page.keyboard.press('Home')
  await waitForFocus(page, 0, 'state')
  await pressWithinFrame(page, 'PageDown', 'Escape')
  await waitForFocus(page, undefined)

  await cell(page, 0, 'name').focus()
  await page.keyboard.press('Space')
  await page.locator('[data-id="3"] .select').click({ modifiers: ['Shift'] })
  await page.getByText('4 selected').waitFor()
  t.equal(await page.locator('[aria-selected=true]').count(), 4)
  t.same(await findBarriers(page), [])
  await page.getByLabel('Select all').check()
  await page.getByText('240 selected').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  t.equal(await page.locator('.bulk-bar').count(), 0)

  await page.getByRole('button', { name: 'Gallery' }).click()
  await page.waitForSelector('.medium .template-card')
  await page.goBack()
  await cell(page, 0, 'name').waitFor()
  t.same(complaints, [])
})

t.test('a cell is edited as in the form', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...templates.slice(0, 5))
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table&order=id`)
  await logIn(page)
  await cell(page, 2, 'trait.MadeIn').waitFor()

  await cell(page, 2, 'trait.MadeIn').dblclick()
  await page.keyboard.type('Chile')
  await page.keyboard.press('Enter')
  await cell(page, 2, 'trait.MadeIn').getByText('Chile').waitFor()
  await waitUntilSaved(page)
  t.match(await stored(url, token, 2), { revision: 2, data: data('Chile') }, 'the rest to the byte')
  await waitForFocus(page, 3, 'trait.MadeIn')

  await cell(page, 2, 'supply').focus()
  await page.keyboard.press('F2')
  await page.keyboard.type('0')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('must be a whole number from 1 to 2,147,483,647').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'cell-problem')
  await page.getByLabel('Max items').fill('70')
  await page.keyboard.press('Tab')
  await cell(page, 2, 'supply').getByText('70').waitFor()
  await waitUntilSaved(page)
  await cell(page, 2, 'state').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Public').selectOption('Not public')
  await page.keyboard.press('Escape')
  t.match(await stored(url, token, 2), { revision: 3, maxItems: 70, publicProduct: undefined })

  await cell(page, 4, 'chain').dblclick()
  await page.keyboard.press('Delete')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('must be a number').waitFor()
  await page.keyboard.type('-7')
  await page.keyboard.press('Enter')
  await cell(page, 4, 'chain').getByText('Blockchain -7').waitFor()
  await waitUntilSaved(page)
  t.match(await stored(url, token, 4), { revision: 2, blockchainId: -7 })

  await cell(page, 1, 'name').dblclick()
  await page.keyboard.type('Lantern')
  await changeElsewhere(url, token, 1, 'maxItems: 5')
  await page.keyboard.press('Enter')
  await cell(page, 1, 'name').getByText('Lantern').waitFor()
  await waitUntilSaved(page)
  t.match(await stored(url, token, 1), { revision: 3, name: 'Lantern', maxItems: 5 }, 'both changes are kept')

  await cell(page, 3, 'trait.MadeIn').dblclick()
  await page.keyboard.type('Kenya')
  await changeElsewhere(url, token, 3, `data: ${JSON.stringify(data('India'))}`)
  await page.keyboard.press('Enter')
  await cell(page, 3, 'trait.MadeIn').getByText('Kenya').waitFor()
  await page.getByText('somebody else has changed the same since.').waitFor()
  t.same(await findBarriers(page), [])
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.getByRole('alert').getByText('Ada Byron saved revision 2 on').waitFor()
  await page.locator('tr:has-text("MadeIn")').getByLabel('Yours').check()
  await page.getByRole('button', { name: 'Use this choice' }).click()
  await page.getByRole('button', { name: 'Save revision 3' }).click()
  await page.getByText('Saved as revision 3.').waitFor()
  t.match(await stored(url, token, 3), { revision: 3, data: data('Kenya') })
  t.same(complaints, [])
})

t.test('who may only read cannot edit; narrow and dark', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...templates)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table`, {
    viewport: { width: 360, height: 780 },
    colorScheme: 'dark'
  })
  await page.route('**/oauth/token', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), scope: 'read' } })
  })
  await logIn(page)
  await cell(page, 239, 'name').waitFor()
  t.equal(await page.getByRole('checkbox').count(), 0)
  await cell(page, 239, 'component').dblclick()
  await page.keyboard.press('F2')
  t.equal(await page.locator('.cell-editor').count(), 0)
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  const { width = 360 } = (await cell(page, 239, 'name').boundingBox()) ?? {}
  t.ok(width < 360 / 2, 'the frozen names leave most of the screen to the other columns')
  t.same(await findBarriers(page), [])
  await photograph(page, 'table-360-dark')
  await cell(page, 239, 'component').press('Enter')
  await page.waitForSelector('.traits')
  t.equal(await page.textContent('h1'), templates[239]?.name)
  t.same(complaints, [])
})

t.test('a narrow screen shows all of the cell to correct, and what is wrong', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...templates.slice(0, 3))
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table&order=id`, {
    viewport: { width: 360, height: 780 }
  })
  await logIn(page)
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const name of ['Description', 'Modified', 'Public'])
    await page.getByRole('dialog').getByLabel(name, { exact: true }).click()
  await page.keyboard.press('Escape')
  /** Whether nothing hides the edges of an element. */
  const isShown = (selector: string) =>
    page.locator(selector).evaluate(element => {
      const { left, right, top } = element.getBoundingClientRect()
      return [left + 2, right - 2].every(x => element.contains(document.elementFromPoint(x, top + 20)))
    })
  await cell(page, 1, 'description').dblclick()
  await page.locator('.cell-editor textarea').waitFor()
  t.ok(await isShown('.cell-editor textarea'))
  await page.keyboard.press('Escape')
  await cell(page, 1, 'supply').dblclick()
  await page.keyboard.type('-3')
  await page.keyboard.press('Enter')
  await page.locator('.cell-problem').waitFor()
  t.ok(await isShown('.cell-problem'))
  t.ok(await isShown('.cell-editor .field'))
  await photograph(page, 'cell-problem-360')
  t.same(complaints, [])
})
