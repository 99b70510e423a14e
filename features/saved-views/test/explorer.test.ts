// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: columns that a person arranges, and a view that another person opens. */
import type { Page } from 'playwright-core'
import { t } from 'tap'
import {
  buildExplorer,
  findBarriers,
  launch,
  logIn,
  openPage,
  photograph
} from '../../../test/explorer/browse.ts'
import { typeOver } from '../../../test/explorer/typing.ts'
import { accessToken, query } from '../../../test/support/http/http.ts'
import { needs } from '../../../test/support/programs.ts'
import { secret } from '../../../test/support/service/secrets.ts'
import { addTemplates, addUser, service } from '../../../test/support/service/service.ts'

const bob = { email: 'bob@example.com', password: secret('bob') }
const data = (country: string) => JSON.stringify({ attributes: [{ trait_type: 'MadeIn', value: country }] })
const templates = ['Norway', 'Japan', 'Norway'].map((country, id) => ({
  ...{ id, name: `Lamp ${id}`, maxItems: 10 + id, data: data(country) }
}))

const headings = (page: Page) =>
  page.locator('.head .label').evaluateAll(labels => labels.map(label => label.textContent))
const widthOf = (page: Page, name: string) =>
  page.getByRole('columnheader', { name }).evaluate(heading => heading.getBoundingClientRect().width)

t.test('columns are arranged, and stay so', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...templates)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table&order=id`)
  await logIn(page)
  await page.locator('[data-id="0"] [data-column="trait.MadeIn"]').waitFor()
  const before = await headings(page)
  t.same(before, ['Name', 'Made in', 'Public', 'Modified', 'Component', 'Blockchain', 'Max items'])

  const handle = page.getByRole('separator', { name: 'Width of Made in' })
  await handle.focus()
  await page.keyboard.press('ArrowRight')
  await page.locator('[title="Width of Made in"][aria-valuenow="186"]').waitFor()
  const box = await page.getByRole('separator', { name: 'Width of Component' }).boundingBox()
  const [x, y] = [(box?.x ?? 0) + 4, (box?.y ?? 0) + 10]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y, { steps: 3 })
  await page.mouse.up()
  t.equal(Math.round(await widthOf(page, 'Component')), 200)
  // From the last pixels of the edge, the pressed place is soon in the next heading, or far from the edge.
  for (const [steps, pixels] of [
    [12, -8],
    [12, 8]
  ] as const) {
    const edge = await page.getByRole('separator', { name: 'Width of Component' }).boundingBox()
    const [right, y] = [(edge?.x ?? 0) + (edge?.width ?? 0) - 1, (edge?.y ?? 0) + 10]
    await page.mouse.move(right, y)
    await page.mouse.down()
    for (let step = 1; step <= steps; step++) await page.mouse.move(right + step * pixels, y)
    await page.mouse.up()
    t.equal(Math.round(await widthOf(page, 'Component')), pixels < 0 ? 104 : 200)
    t.same(await headings(page), before, 'no column moves')
  }

  await page
    .getByRole('columnheader', { name: 'Made in' })
    .dragTo(page.getByRole('columnheader', { name: 'Blockchain' }))
  t.same(await headings(page), [
    'Name',
    'Public',
    'Modified',
    'Component',
    'Blockchain',
    'Made in',
    'Max items'
  ])
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Move Made in left' }).click()
  await page.getByLabel('Blockchain', { exact: true }).uncheck()
  t.same(await findBarriers(page), [])
  await photograph(page, 'column-order')
  await page.reload()
  await page.locator('[data-id="0"] [data-column="trait.MadeIn"]').waitFor()
  t.same(await headings(page), ['Name', 'Public', 'Modified', 'Component', 'Made in', 'Max items'])
  t.equal(Math.round(await widthOf(page, 'Component')), 200)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Reset columns' }).click()
  t.same(await headings(page), before)
  t.same(complaints, [])
})

t.test('a view that one person saves for all is opened by another', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...templates)
  await addUser(db, { ...bob, firstName: 'Bob', lastName: 'Reader', role: 'reader' })
  const browser = await launch(t)
  const ada = await openPage(browser, `${url}/#/?layout=table&trait.MadeIn="Norway"&order=-supply`)
  await logIn(ada.page)
  await ada.page.locator('[data-id="2"] [data-column="trait.MadeIn"]').waitFor()
  await ada.page.getByRole('button', { name: 'Columns' }).click()
  await ada.page.getByLabel('Blockchain', { exact: true }).uncheck()
  await ada.page.getByLabel('Public', { exact: true }).uncheck()
  await ada.page.keyboard.press('Escape')
  await ada.page.getByRole('button', { name: 'Views' }).click()
  await ada.page.getByLabel('Name of the view').fill('From Norway')
  await ada.page.getByLabel('Share with everybody').check()
  await ada.page.getByRole('button', { name: 'Save view' }).click()
  await ada.page.getByRole('link', { name: 'From Norway' }).waitFor()
  t.same(await findBarriers(ada.page), [])
  await photograph(ada.page, 'views')
  await ada.page.getByRole('button', { name: 'Delete From Norway' }).click()
  await ada.page.getByText('It is deleted for everybody').waitFor()
  t.same(await findBarriers(ada.page), [])
  await ada.page.getByRole('button', { name: 'Cancel' }).click()
  await ada.page.getByRole('button', { name: 'Save as it is now' }).click()
  await ada.page.getByRole('button', { name: 'Change for everybody' }).click()
  await ada.page.getByRole('dialog', { name: 'for everybody?' }).waitFor({ state: 'detached' })
  const [, id = ''] = ada.page.url().match(/saved=([\w-]+)/) ?? []

  const { page, complaints } = await openPage(browser, `${url}/#/?saved=${id}`, {
    viewport: { width: 360, height: 780 },
    colorScheme: 'dark'
  })
  await page.fill('[name=username]', bob.email)
  await page.fill('[name=password]', bob.password)
  await page.keyboard.press('Enter')
  await page.locator('[data-id="2"] [data-column="trait.MadeIn"]').waitFor()
  t.same(
    await headings(page),
    ['Name', 'Made in', 'Modified', 'Component', 'Max items ↓'].map(each => each.replace(' ↓', ''))
  )
  t.same(
    await page.locator('.table [data-id]').evaluateAll(rows => rows.map(row => row.getAttribute('data-id'))),
    ['2', '0']
  )
  t.match(page.url(), /trait\.MadeIn=.*order=-supply.*layout=table.*saved=/)
  await page.getByRole('button', { name: 'Views' }).click()
  t.equal(await page.getByRole('button', { name: 'Delete From Norway' }).count(), 0)
  t.equal(await page.getByLabel('Shared').getByRole('checkbox').count(), 0)
  const name = page.getByLabel('Name of the view')
  await name.fill('Mine')
  await name.press('Enter')
  await page.getByRole('region', { name: 'Yours' }).getByRole('link', { name: 'Mine' }).waitFor()
  t.equal(await name.inputValue(), '')
  t.equal(await page.locator(':focus').getAttribute('aria-label'), 'Name of the view', 'it keeps the focus')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  t.same(await findBarriers(page), [])
  await photograph(page, 'views-360-dark')
  await page.getByRole('button', { name: 'Delete Mine' }).click()
  await page.getByRole('button', { name: 'Delete the view' }).click()
  await page.getByRole('link', { name: 'Mine' }).waitFor({ state: 'detached' })
  await page.goto(`${url}/#/?saved=gone`)
  await page.getByText('This view does not exist any more').waitFor()
  await page.getByRole('link', { name: 'Show all templates' }).click()
  await page.locator('[data-id="1"]').first().waitFor()
  t.same([...complaints, ...ada.complaints], [])
})

t.test(
  'everybody begins with the columns of a view, unless they choose others',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true })
    const data = (id: number) =>
      JSON.stringify({
        attributes: [
          { trait_type: 'SKU', value: `OUT-${1000 + id}` },
          { trait_type: 'Colour', value: ['red', 'blue'][id % 2] },
          { trait_type: 'Fabric', value: ['wool', 'silk'][id % 2] },
          { trait_type: 'Season', value: ['spring', 'autumn'][id % 2] }
        ]
      })
    await addTemplates(
      db,
      ...Array.from({ length: 8 }, (_, id) => ({ id, name: `Coat ${id}`, data: data(id) }))
    )
    await addUser(db, { ...bob, role: 'reader' })
    const browser = await launch(t)
    const ada = await openPage(browser, `${url}/#/?layout=table`)
    await logIn(ada.page)
    const season = (page: Page) => page.locator('[data-id="1"] [data-column="trait.Season"]')
    await ada.page.locator('[data-id="1"] [data-column="trait.Colour"]').waitFor()
    const before = await headings(ada.page)
    t.equal(await season(ada.page).count(), 0)
    await ada.page.getByRole('button', { name: 'Columns' }).click()
    for (const name of ['Colour', 'Fabric', 'Public'])
      await ada.page.getByLabel(name, { exact: true }).uncheck()
    await ada.page.getByLabel('Season', { exact: true }).check()
    await ada.page.keyboard.press('Escape')
    const chosen = await headings(ada.page)
    await ada.page.getByRole('button', { name: 'Views' }).click()
    await ada.page.getByLabel('Name of the view').fill('Shop')
    await ada.page.getByLabel('Share with everybody').check()
    await ada.page.getByRole('button', { name: 'Save view' }).click()
    const forEverybody = ada.page.getByLabel('Default columns: Shop')
    await forEverybody.click()
    await ada.page.locator('.view-list :checked').waitFor()
    t.same(await findBarriers(ada.page), [])
    await photograph(ada.page, 'view-for-everybody')

    const { page, complaints } = await openPage(browser, `${url}/`)
    await page.fill('[name=username]', bob.email)
    await page.fill('[name=password]', bob.password)
    await page.keyboard.press('Enter')
    await page.locator('[data-id="1"] .line', { hasText: /^autumn$/ }).waitFor()
    t.equal(await page.locator('[data-id="1"] .key').innerText(), 'OUT-1001')
    await page.locator('.facet').first().waitFor()
    t.match(await page.locator('.facet').first().innerText(), /season/i)
    await page.getByRole('button', { name: 'Table' }).click()
    await season(page).waitFor()
    t.same(await headings(page), chosen)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('link', { name: 'Shop' }).waitFor()
    t.equal(await page.getByLabel('Default columns').count(), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByLabel('Season', { exact: true }).uncheck()
    await page.reload()
    await page.locator('[data-id="1"] [data-column="trait.SKU"]').waitFor()
    t.equal(await season(page).count(), 0, 'the own choice wins')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await season(page).waitFor()

    await forEverybody.click()
    await ada.page.locator('.view-list :checked').waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('[data-id="1"] [data-column="trait.Colour"]').waitFor()
    t.same(await headings(page), before)
    t.same([...complaints, ...ada.complaints], [])
  }
)

t.test('without its column, the price for everybody is still a price', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const data = (id: number) =>
    JSON.stringify({
      attributes: [
        { trait_type: 'Preis', value: `${19 + id}.90` },
        { trait_type: 'PriceGroup', value: ['A', 'B'][id % 2] },
        { trait_type: 'Colour', value: ['red', 'blue'][id % 2] }
      ]
    })
  await addTemplates(
    db,
    ...Array.from({ length: 8 }, (_, id) => ({ id, name: `Coat ${id}`, data: data(id) }))
  )
  const token = await accessToken(url)
  const input = { name: 'Shop', query: '', columns: ['trait.Colour'], shared: true }
  const saving = 'mutation ($input: SaveViewInput!) { saveView(input: $input) { view { id } } }'
  const { id } = (await query(url, token, saving, { variables: { input } })).body.data.saveView.view
  const choosing = 'mutation ($id: ID) { setDefaultView(id: $id) { userErrors { code } } }'
  t.same((await query(url, token, choosing, { variables: { id } })).body.data.setDefaultView.userErrors, [])

  const { page, complaints } = await openPage(await launch(t), `${url}/#/?order=id`, { locale: 'de-DE' })
  await logIn(page)
  const card = page.locator('.template-card[data-id="0"]')
  await card.getByText('red').waitFor()
  t.notMatch(await card.innerText(), '19,90')
  await page.locator('.facet').first().waitFor()
  t.match(await page.locator('.facet').first().innerText(), /colour/i)
  await page.getByLabel('Order').selectOption('Preis, highest first')
  await page.waitForURL(/order=-trait/)

  await page.goto(`${url}/#/templates/0`)
  const facts = page.getByLabel('As a buyer sees it').locator('dt')
  await facts.first().waitFor()
  t.same(await facts.allTextContents(), ['Preis', 'Edition'])
  await page.goto(`${url}/#/templates/0/edit`)
  const price = page.getByLabel('Value of trait 1', { exact: true })
  await typeOver(price, '24,50')
  await page.getByRole('button', { name: 'Save revision 2' }).click()
  await page.getByText('Saved as revision 2.').waitFor()
  const { product } = (await query(url, token, '{ product(id: 0) { data } }')).body.data
  t.match(JSON.parse(product.data).attributes[0], { value: '24.50' })
  t.same(complaints, [])
})
