// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * Finding templates in the explorer: by what names one exactly, in spite of a typing error, and by ranges of numbers
 * and of dates.
 */
import type { Request } from 'playwright-core'
import { t } from 'tap'
import { hashData } from '../../domain/document.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

t.test(
  'a user finds templates by id, product id, hash, a wrong word and prices',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true, explorerFilters: 'Price, Trait7, Nothing' })
    const prices = ['4', '7,20', '12.50', '48', '39.90', '340', 'on request', ['9.80', '350']]
    await addTemplates(
      db,
      ...prices.map((price, at) => ({
        name: `Lamp ${at}`,
        blockchainId: at < 3 ? 1 : 137,
        componentName: `Kind${at % 7}`,
        data: JSON.stringify({
          productId: `SKU-${at}`,
          description: 'from Portugal for the café',
          attributes: [
            { trait_type: 'Price', value: price },
            ...Array.from({ length: 9 }, (_, n) => ({ trait_type: `Trait${n}`, value: ['a', 'b'][at % 2] }))
          ]
        })
      }))
    )
    const { data } = await db
      .selectFrom('product_template')
      .select('data')
      .where('id', '=', 4)
      .executeTakeFirstOrThrow()
    const browser = await launch(t)
    const { page, complaints } = await openPage(browser, url)
    await logIn(page)
    const search = page.locator('#search')
    const matches = (number: number) =>
      page.waitForFunction(
        expected => document.querySelectorAll('.template-card').length === expected,
        number
      )
    await matches(8)

    for (const [typed, hit] of [
      ['3', 'Id Lamp 3'],
      ['SKU-5', 'Product id Lamp 5'],
      [hashData(data).slice(0, 9), 'Hash of revision 1 Lamp 4']
    ] as const) {
      await search.fill(typed)
      await page.getByRole('link', { name: hit }).waitFor()
    }
    await search.press('Enter')
    await page.getByRole('heading', { name: 'Lamp 4' }).waitFor()

    await search.fill('portgual lampe')
    await page.getByText('No template matches').waitFor()
    await page.getByRole('link', { name: 'portugal lamp' }).click()
    await matches(8)
    await search.fill('cfae')
    await page.getByRole('link', { name: 'café' }).click()
    await matches(8)
    await search.fill('AMP 48')
    await matches(1)
    await page.goto(`${url}/#/`)
    await matches(8)

    const facets = page.locator('.facets')
    await facets.getByText('On the chain').click()
    await facets.getByLabel('Polygon (137)').check()
    await matches(5)
    await page.locator('a.pill').click()
    await matches(8)
    t.equal(await facets.locator('.facet:visible').count(), 7, 'the others are behind “More filters”')
    t.equal(
      await facets.getByText('Kind6').isVisible(),
      true,
      'components that no list has shown are counted'
    )
    await facets.getByText('More filters').click()
    t.ok((await facets.locator('.facet:visible').count()) > 7)

    t.same(
      (await facets.locator('.facet summary').allTextContents()).slice(0, 2),
      ['Price', 'Trait 7'],
      'the operator wants these first'
    )
    await photograph(page, 'finding')
    await facets.getByLabel('4 to below 38.60: 4 templates').click()
    await matches(4)
    t.match(decodeURIComponent(page.url()), /range\.Price=4\.\.<38\.6/)
    await page.reload()
    await matches(4)
    await facets.getByLabel('Price, from').fill('12,50')
    await facets.getByLabel('Price, to').fill('340')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Price: 12.50 to 340' }).waitFor()
    await matches(4)
    t.same(complaints, [])
  }
)

t.test('a user finds templates by a range of dates', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, explorerFilters: 'Since' })
  const dates = [
    '2025-12-31',
    '2026-01-31',
    '2026-02-28',
    '2026-03-01',
    '2026-03-31',
    '2026-03-31T18:00:00',
    ''
  ]
  const toData = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Since', value }] })
  await addTemplates(db, ...dates.map((date, at) => ({ name: `Lamp ${at}`, data: toData(date) })))
  const { page, complaints } = await openPage(await launch(t), url, { locale: 'de-DE' })
  await logIn(page)
  const matches = (number: number) =>
    page.waitForFunction(expected => document.querySelectorAll('.template-card').length === expected, number)
  await matches(7)
  const [from, to] = [page.getByLabel('Since, from'), page.getByLabel('Since, to')]
  await from.fill('2026-03-01')
  await page.getByRole('link', { name: 'Since: 01.03.2026 or later' }).waitFor()
  await matches(3)
  await to.focus()
  await page.keyboard.type('03032026')
  await page.getByRole('link', { name: 'Since: 01.03.2026 to 03.03.2026' }).waitFor()
  await matches(1)
  t.match(decodeURIComponent(page.url()), /range\.Since=2026-03-01\.\.2026-03-03/)
  t.same(await findBarriers(page), [])
  await photograph(page, 'dates')
  await page.goBack()
  await page.getByRole('link', { name: 'Since: 01.03.2026 or later' }).waitFor()
  await page.goForward()
  await page.reload()
  await matches(1)
  t.equal(await to.inputValue(), '2026-03-03')
  await from.fill('')
  await page.getByRole('link', { name: 'Since: until 03.03.2026' }).click()
  await matches(7)
  t.equal(await to.inputValue(), '')
  t.same(complaints, [])
})

t.test('a few dates, or dates among words, have a range too', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, explorerFilters: 'Drop,Delivered' })
  const drops = ['2026-03-01', '2026-03-31', '2026-04-15']
  const delivered = ['2026-02-28', '2026-03-01', '2026-03-15', '2026-03-31', '2026-04-01', '2026-05-01']
  const templates = delivered.flatMap((date, at) => [
    { Drop: drops[at % 3], Delivered: date },
    { Drop: drops[at % 3], Delivered: 'soon' }
  ])
  const toData = (values: object) =>
    JSON.stringify({
      attributes: Object.entries(values).map(([trait_type, value]) => ({ trait_type, value }))
    })
  await addTemplates(db, ...templates.map((values, at) => ({ name: `Lamp ${at}`, data: toData(values) })))
  const { page, complaints } = await openPage(await launch(t), url, { locale: 'de-DE' })
  await logIn(page)
  const matches = (number: number) =>
    page.waitForFunction(expected => document.querySelectorAll('.template-card').length === expected, number)
  await matches(12)
  const inDelivered = page.locator('.facet', { hasText: 'Delivered' }).getByRole('checkbox')
  t.equal(await inDelivered.count(), 1, 'many dates are found by their range')
  await page.getByRole('checkbox', { name: 'soon' }).check()
  await matches(6)
  await page.getByRole('checkbox', { name: 'soon' }).uncheck()
  await matches(12)
  await page.getByRole('button', { name: 'More values of Delivered' }).click()
  await page.getByRole('dialog').getByRole('checkbox', { name: '01.05.2026' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await matches(1)
  await page.getByRole('checkbox', { name: '01.05.2026', checked: true }).click()
  await matches(12)
  await page.getByLabel('Delivered, from').fill('2026-03-01')
  await page.getByLabel('Delivered, to').fill('2026-03-31')
  await page.getByRole('link', { name: 'Delivered: 01.03.2026 to 31.03.2026' }).click()
  await matches(12)
  await page.getByLabel('Drop, from').fill('2026-03-31')
  await matches(8)
  const drop = page.locator('.facet', { hasText: 'Drop' })
  await drop.getByRole('checkbox', { name: '15.04.2026' }).check()
  await matches(4)
  await page.getByRole('link', { name: 'Drop: 31.03.2026 or later' }).click()
  await page.getByRole('link', { name: 'Drop: 15.04.2026' }).waitFor()
  t.ok(await page.getByLabel('Drop, from').isVisible(), 'the range stays beside the values')
  t.same(await findBarriers(page), [])
  await photograph(page, 'few-dates')
  t.same(complaints, [])
})

t.test(
  'a dialog has more values of a trait, and reads nothing once it is closed',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true, explorerFilters: 'MadeIn' })
    const countries = ['Chile', 'Egypt', 'France', 'Ghana', 'Iceland', 'Japan', 'Kenya']
    const toData = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'MadeIn', value }] })
    await addTemplates(
      db,
      ...[...countries, ...countries].map((country, at) => ({ name: `Lamp ${at}`, data: toData(country) }))
    )
    const { page, complaints } = await openPage(await launch(t), url)
    await logIn(page)
    const more = page.getByRole('button', { name: 'More values of Made in' })
    const dialog = page.getByRole('dialog', { name: 'Made in' })
    await more.waitFor()
    const ofDialog = (request: Request) => request.postData()?.includes('"first":100') === true
    await page.route('**/graphql', route =>
      ofDialog(route.request()) ? route.fulfill({ status: 503 }) : route.fallback()
    )
    const refused = page.waitForResponse(response => ofDialog(response.request()))
    await more.click()
    await refused
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.equal(await more.getAttribute('aria-busy'), null)
    await page.unrouteAll()
    await more.click()
    await dialog.getByText('Made in, the 7 most frequent').waitFor()
    t.same(await findBarriers(page), [])
    await dialog.getByLabel('Search the values of Made in').fill('ken')
    await dialog.getByText('Made in, the 1 most frequent').waitFor()
    await dialog.getByLabel('Kenya').check()
    await page.waitForFunction(() => document.querySelectorAll('.template-card').length === 2)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.ok(complaints.every(complaint => complaint.includes('503')))
  }
)

t.test('a filter that the page has opened is closed again without its choice', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const data = JSON.stringify({ attributes: [{ trait_type: 'public', value: 'a' }] })
  await addTemplates(
    db,
    { id: 1, name: 'Lamp 1', data },
    { id: 2, name: 'Lamp 2', data: data.replace('"a"', '"b"') }
  )
  const { page } = await openPage(await launch(t), `${url}/#/?component=DefaultProduct`)
  await logIn(page)
  const chain = page.locator('details.on-the-chain')
  await chain.locator('input').first().waitFor()
  t.equal(await chain.getAttribute('open'), '')
  await page.goto(`${url}/#/templates/1`)
  await page.getByRole('heading', { name: 'Lamp 1', level: 1 }).waitFor()
  await page.goto(`${url}/#/`)
  await chain.waitFor()
  t.equal(await chain.getAttribute('open'), null)
  const named = page.locator('details', { has: page.locator('> summary', { hasText: /^public$/i }) })
  t.equal(await named.count(), 2)
  await named.first().locator('summary').click()
  await page.goto(`${url}/#/templates/1`)
  await page.getByRole('heading', { name: 'Lamp 1', level: 1 }).waitFor()
  await page.goto(`${url}/#/`)
  await chain.waitFor()
  t.same(await named.evaluateAll(all => all.map(one => one.hasAttribute('open'))), [false, true])
})

t.test('a filter stays open or closed after a search that finds nothing', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const attributes = (at: number) =>
    Array.from({ length: 7 }, (_, n) => ({ trait_type: `Trait${n}`, value: ['a', 'b'][at % 2] }))
  const templates = [1, 2, 3, 4].map(id => ({
    id,
    name: `Lamp ${id}`,
    data: JSON.stringify({ attributes: attributes(id) })
  }))
  await addTemplates(db, ...templates)
  const { page } = await openPage(await launch(t), `${url}/`)
  await logIn(page)
  const facets = page.locator('.facets')
  const listOpen = () => facets.locator('details[open] > summary').allTextContents()
  const [first, ...others] = ['Trait 0', 'More filters', 'On the chain', 'Trait 6']
  await facets.getByText(first as string).waitFor()
  for (const name of [first, ...others]) await facets.getByText(name as string, { exact: true }).click()
  const open = await listOpen()
  t.equal(open.includes(first as string), false)
  for (const name of others) t.ok(open.includes(name), name)
  await page.locator('#search').fill('xyz')
  await page.getByText('No template matches').waitFor()
  await facets.getByText(first as string).waitFor({ state: 'detached' })
  await page.locator('#search').fill('')
  await facets.getByText(first as string).waitFor()
  t.same(await listOpen(), open)
})

t.test('the price and other numbers are known, wherever the page begins', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const templates = ['on request', '20.50', '21.90', '24.00'].map((price, id) => ({
    id,
    name: `Coat ${id}`,
    data: JSON.stringify({
      attributes: [
        { trait_type: 'Preis', value: price },
        { trait_type: 'Gewicht (kg)', value: 9 - id },
        { trait_type: 'Artikelnummer', value: 1000 + id }
      ]
    })
  }))
  await addTemplates(db, ...templates)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/templates/0`)
  await logIn(page)
  await page.getByLabel('As a buyer sees it').getByText('on request').waitFor()

  await page.goto(`${url}/#/`)
  const orders = page.getByLabel('Order')
  await orders.getByText('Gewicht (kg), lowest first').waitFor({ state: 'attached' })
  t.same((await orders.locator('option').allTextContents()).slice(5), [
    'Preis, lowest first',
    'Preis, highest first',
    'Gewicht (kg), lowest first',
    'Gewicht (kg), highest first'
  ])
  await orders.selectOption('Gewicht (kg), lowest first')
  await page.waitForURL(/order=trait/)
  await page.locator('.template-card').first().getByText('Coat 3').waitFor()
  t.same(complaints, [])
})
