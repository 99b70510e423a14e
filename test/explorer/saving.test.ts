// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * What the page says while it loads and when it does not save, where the user looks, and what it asks before it
 * discards.
 */
import type { Locator, Page } from 'playwright-core'
import { type Test, t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service, storedTemplates } from '../support/service/service.ts'
import { button, dialog, openAs } from './administer.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

const attributes = Array.from({ length: 30 }, (_, at) => ({ trait_type: `Trait ${at}`, value: 'x' }))
const data = JSON.stringify({ attributes })

async function openStore(t: Test, place: string, options = {}) {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...[1, 2, 3, 4, 5].map(id => ({ id, name: `Lamp ${id}`, data })))
  const { page, complaints } = await openPage(await launch(t), `${url}/${place}`, options)
  await logIn(page)
  return { url, page, complaints }
}

/** Whether all of an element is on the screen. */
const isOnScreen = (target: Locator) =>
  target.evaluate(element => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })

t.test('the bar with the button says why nothing was saved', needs('chromium'), async t => {
  for (const [viewport, colorScheme] of [
    [{ width: 1360, height: 700 }, 'light'],
    [{ width: 360, height: 640 }, 'dark']
  ] as const) {
    const { page, complaints } = await openStore(t, '#/templates/1/edit', { viewport, colorScheme })
    const name = page.getByLabel('Name', { exact: true })
    const alert = page.locator('.bar-of-form .said')
    await name.fill('')
    const save = button(page, 'Save revision 2')
    await save.click()
    await alert.getByText('Nothing was saved.').waitFor()
    t.ok((await isOnScreen(alert)) && (await isOnScreen(save)))
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-field') === 'name')
    t.same(await findBarriers(page), [])
    await photograph(page, `refused-${viewport.width}-${colorScheme}`)
    await name.fill('Lantern')
    t.equal(await alert.innerText(), '', 'a correction takes it away')

    await page.route('**/graphql', route => route.abort())
    await save.click()
    await alert.getByText('The service did not answer. What you typed is kept: save again.').waitFor()
    t.ok((await isOnScreen(alert)) && (await isOnScreen(save)))
    await photograph(page, `failed-${viewport.width}-${colorScheme}`)
    await page.unroute('**/graphql')
    await page.route('**/graphql', route =>
      route.fulfill({ json: { errors: [{ message: 'the request has too many bytes' }] } })
    )
    await save.click()
    await alert.getByText('The service refused this: the request has too many bytes.').waitFor()
    await page.unroute('**/graphql')
    await save.click()
    await page.getByText('Saved as revision 2.').waitFor()
    t.same(
      complaints.filter(text => !text.includes('ERR_FAILED')),
      []
    )
  }
})

t.test('a column that is older than its rule stays as it is', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 1, name: '', data })
  const { page, complaints } = await openPage(await launch(t), `${url}/#/templates/1/edit`)
  await logIn(page)
  await page.getByLabel('Max items').fill('7')
  await button(page, 'Save revision 2').click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(complaints, [])
})

t.test('the same holds for many cells of the table', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 1, name: 'Bed' }, { id: 2, name: '' }, { id: 3, name: 'Desk' })
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table&order=id`)
  await logIn(page)
  await page.locator('[data-id="1"] [data-column="supply"]').focus()
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as revision 2.').waitFor()
  for (const key of ['ArrowUp', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Control+d'])
    await page.keyboard.press(key)
  await page.getByText('Changed: 2 cells.').waitFor()
  const stored = (await storedTemplates(db)).toSorted((one, other) => one.id - other.id)
  t.same(
    stored.map(({ name, maxItems }) => [name, maxItems]),
    [
      ['Bed', 7],
      ['', 7],
      ['Desk', 7]
    ]
  )
  t.same(complaints, [])
})

t.test(
  'a document that is older than the schema is refused in the words of the form',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true })
    const attributes = [
      { trait_type: 'MadeIn', value: 'Peru' },
      { trait_type: '', value: 'x' }
    ]
    const data = `{"external_url":"","external_url":"a b","attributes":${JSON.stringify(attributes)}}`
    await addTemplates(db, { id: 1, name: 'Bed', data })
    const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table`)
    await logIn(page)
    await page.locator('[data-id="1"] [data-column="trait.MadeIn"]').focus()
    await page.keyboard.type('Chile')
    await page.keyboard.press('Enter')
    const problems = [
      'External url: a key occurs twice in the same object',
      'External url must be a link without spaces or nothing',
      'Trait 2 needs a name'
    ]
    await page.getByText(problems.join('; ')).first().waitFor()
    t.same(complaints, [])
  }
)

t.test('a kept draft of an older revision says so when it is opened', needs('chromium'), async t => {
  const { url, page, complaints } = await openStore(t, '#/templates/1/edit')
  await page.getByLabel('Max items').fill('7')
  await page.goto(`${url}/#/`)
  const rename = 'mutation { updateProduct(id: 1, input: { name: "Torch" }) { userErrors { code } } }'
  await query(url, await accessToken(url), rename)
  // A new page, to which the service does not send earlier changes.
  await page.reload()
  await page.goto(`${url}/#/templates/1/edit`)
  await page.getByText('Somebody saved revision 2 meanwhile.').waitFor()
  t.equal(await page.getByLabel('Max items').inputValue(), '7')
  await button(page, 'Compare').click()
  await page.getByText('saved revision 2').waitFor()
  t.same(complaints, [])
})

t.test('Cancel asks before it discards', needs('chromium'), async t => {
  const { url, page, complaints } = await openStore(t, '#/templates/1/edit')
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  await button(page, 'Cancel').click()
  await page.waitForURL(/#\/templates\/1$/)
  for (const [place, left] of [
    ['#/templates/1/edit', '#/templates/1'],
    ['#/new', '#/'],
    ['#/new?copy=2', '#/templates/2']
  ] as const) {
    await page.goto(`${url}/${place}`)
    await name.fill('Lantern')
    await button(page, 'Cancel').click()
    await page.getByRole('heading', { name: 'Discard what you typed?' }).waitFor()
    t.same(await findBarriers(page), [])
    await photograph(page, 'discard')
    await page.keyboard.press('Escape')
    await button(page, 'Cancel').click()
    await button(dialog(page), 'Keep editing').click()
    t.equal(await name.inputValue(), 'Lantern', place)
    await button(page, 'Cancel').click()
    await button(dialog(page), 'Discard').click()
    await page.waitForURL(`${url}/${left}`)
    await page.goto(`${url}/${place}`)
    await name.waitFor()
    t.not(await name.inputValue(), 'Lantern', 'it is discarded')
    await button(page, 'Cancel').click()
    await page.waitForURL(`${url}/${left}`)
  }
  await page.goto(`${url}/#/templates/1/edit`)
  await page.getByLabel('Max items').fill('twelve')
  await button(page, 'Cancel').click()
  await button(dialog(page), 'Discard').click()

  await page.goto(`${url}/#/`)
  await button(page, 'Select').click()
  await page.getByRole('checkbox', { name: 'Lamp 1' }).click()
  await button(page, 'Change…').click()
  await page.getByLabel('Trait of change 1').waitFor()
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await button(page, 'Change…').click()
  await page.getByLabel('Trait of change 1').fill('Price')
  await page.keyboard.press('Escape')
  await button(dialog(page), 'Keep editing').click()
  t.equal(await page.getByLabel('Trait of change 1').inputValue(), 'Price')
  await button(page, 'Cancel').click()
  await button(dialog(page), 'Discard').click()
  await dialog(page).first().waitFor({ state: 'detached' })
  await page.getByText('1 selected').waitFor()
  t.same(complaints, [])
})

t.test('a click with Shift selects templates, not their text', needs('chromium'), async t => {
  const { url, page, complaints } = await openStore(t, '#/?order=id')
  const painted = () => page.evaluate(() => getSelection()?.toString())
  await button(page, 'Select').click()
  const card = (id: number) => page.getByRole('checkbox', { name: `Lamp ${id}` })
  await page.getByRole('heading', { name: 'Templates' }).click()
  await card(1).press(' ')
  await card(5).click({ modifiers: ['Shift'] })
  await page.getByText('5 selected').waitFor()
  t.equal(await painted(), '')
  await button(page, 'Done').click()

  await page.goto(`${url}/#/?order=id&layout=table`)
  const box = (id: number) => page.locator(`[data-id="${id}"] .select`)
  await page.locator('[data-id="1"] [data-column=component]').click()
  await box(1).click()
  await box(5).click({ modifiers: ['Shift'] })
  await page.getByText('5 selected').waitFor()
  t.equal(await painted(), '')
  const chain = (id: number) => page.locator(`[data-id="${id}"] [data-column=chain]`)
  await chain(1).click()
  await chain(4).click({ modifiers: ['Shift'] })
  t.equal(await painted(), '')
  t.same(complaints, [])
})

t.test('over a slow network, each page shows that it loads', needs('chromium'), async t => {
  const { page, go, complaints } = await openAs(t)
  const loading = page.getByText('Loading…')
  /** Opens a place while some requests are held, and looks whether something is shown. */
  const openSlowly = async (place: string, requests: string, shown = loading) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await go('#/')
    await page.locator('.template-card').first().waitFor()
    await page.route(requests, async route => {
      await released
      await route.continue()
    })
    // Without the cache, in which the parts of the page are.
    if (place === '') await page.reload({ waitUntil: 'commit' })
    else await go(place)
    await shown.first().waitFor()
    // An animation ends early if the page shows it anew elsewhere.
    await shown
      .first()
      .evaluate(element => Promise.allSettled(element.getAnimations().map(each => each.finished)))
    await photograph(page, `loading${place.replace(/\W+/g, '-')}`)
    release()
    await shown.first().waitFor({ state: 'detached' })
    await page.unroute(requests)
  }
  await openSlowly('', '**/explorer/*.js')
  await openSlowly('', '**/graphql', page.locator('.skeleton'))
  for (const place of ['templates/1', 'templates/1/history', 'templates/1/edit', 'new?copy=1', 'deleted'])
    await openSlowly(`#/${place}`, '**/graphql')
  for (const place of ['admin', 'admin/clients', 'admin/clients/explorer', 'admin/trail'])
    await openSlowly(`#/${place}`, '**/graphql')
  await openSlowly('#/templates/1/metadata', '**/metadata/*')
  t.same(complaints, [])
})

t.test('a part of the page that cannot be loaded says so', needs('chromium'), async t => {
  const { url, page } = await openStore(t, '#/')
  await page.locator('.template-card').first().waitFor()
  await page.route('**/explorer/*.js', route => route.abort())
  await openForm(page, url)
  await page.getByRole('alert').getByText('This page could not be loaded.').waitFor()
  await page.unroute('**/explorer/*.js')
  await button(page, 'Try again').click()
  await page.getByLabel('Name', { exact: true }).waitFor()
})

const openForm = (page: Page, url: string) => page.goto(`${url}/#/templates/1/edit`)
