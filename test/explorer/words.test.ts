// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser speaks the language of a shop: its own data first, plain words, its colours. */
import type { Page, Route } from 'playwright-core'
import { t } from 'tap'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

const colours = ['red', 'green', 'blue', 'grey']
const brands = ['Nordlys', 'Hakuba']

/** Twenty products of a shop. One has the SKU of another by mistake, and some lack a size. */
const products = Array.from({ length: 20 }, (_, at) => ({
  id: at + 1,
  name: `Jacket ${at + 1}`,
  data: JSON.stringify({
    description: `Jacket number ${at + 1} for long tours in any weather, also in rain and snow.`,
    attributes: [
      { trait_type: 'SKU', value: `OUT-${1001 + (at === 7 ? 6 : at)}` },
      { trait_type: 'Weight', value: 300 + at },
      { trait_type: 'Uses', value: ['city', 'hike'] },
      { trait_type: 'Size', value: at % 2 ? 'M' : '' },
      { trait_type: 'Colour', value: colours[at % 4] },
      { trait_type: 'Brand', value: brands[at % 2] },
      ...(at === 2 ? [{ trait_type: 'Since', value: '2026-01-31' }] : []),
      { trait_type: 'Price EUR', value: at === 19 ? '2499.00' : `${19 + at}.90` }
    ]
  })
}))

const card = (page: Page, name: string) => page.locator('.template-card', { hasText: name })

t.test('cards and filters begin with what the data of a shop has', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...products)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?order=id`, { locale: 'de-DE' })
  await logIn(page)
  const wordsOf = (name: string) => card(page, name).first().locator('.facts').allInnerTexts()
  await page.getByText('21,90 EUR').waitFor()
  t.same(await wordsOf('Jacket 3'), ['Nordlys · blue', 'OUT-1003\n21,90 EUR'])
  const filters = page.locator('.facets .facet:visible > summary')
  t.same(await filters.allTextContents(), [
    'Price EUR',
    'Brand',
    'Colour',
    'Uses',
    'Size',
    'Public',
    'On the chain'
  ])
  t.notMatch(await page.locator('main').innerText(), /Ethereum|Product ·/)
  t.match(await page.locator('.facets .ends').first().innerText(), /^19,90\s+2\.499$/)
  t.same(await findBarriers(page), [])
  await photograph(page, 'shop')

  await page.getByRole('button', { name: 'Cards', exact: true }).click()
  const options = page.getByRole('dialog', { name: 'Cards' })
  await options.getByLabel('Brand').uncheck()
  await options.getByLabel('Max items').check()
  await options.getByLabel('Since').check()
  await options.getByLabel('Weight').check()
  t.same(await findBarriers(page), [])
  await page.reload()
  await page.getByText('21,90 EUR').waitFor()
  t.same(
    await wordsOf('Jacket 3'),
    ['blue · ×10 · 31.01.2026 · Weight 302', 'OUT-1003\n21,90 EUR'],
    'the choice is kept'
  )
  await page.getByRole('button', { name: 'Cards', exact: true }).click()
  await options.getByRole('button', { name: 'Reset', exact: true }).click()
  t.same((await wordsOf('Jacket 3'))[0], 'Nordlys · blue')

  await page.getByLabel('Order').selectOption('Price EUR, highest first')
  await page.waitForURL(/order=-trait/)
  await page.waitForFunction(() =>
    document.querySelector('.template-card .name')?.textContent?.includes('20')
  )
  await page.goto(`${url}/#/?range.Price+EUR=19.9..25&order=id`)
  await page.getByText('Price EUR: 19,90 to 25').waitFor()
  await page.goto(`${url}/#/?layout=table&order=id`)
  await page.locator('[data-id="3"] [data-column="trait.Price EUR"]').getByText('21,90 EUR').waitFor()
  const headings = page.locator('.head .label')
  t.same((await headings.allTextContents()).slice(0, 7), [
    ...['Name', 'SKU', 'Price EUR', 'Brand', 'Colour', 'Public', 'Modified']
  ])
  await page.setViewportSize({ width: 900, height: 900 })
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Weight', { exact: true }).check()
  await page.keyboard.press('Escape')
  t.same(
    (await headings.allTextContents()).slice(4, 7),
    ['Colour', 'Weight', 'Public'],
    'after the last trait'
  )
  const { x = 0, width = 0 } = (await page.getByRole('columnheader', { name: 'Weight' }).boundingBox()) ?? {}
  t.ok(x > 0 && x + width <= 900, 'the new column is on the screen')
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.goto(`${url}/#/templates/3`)
  await page.getByRole('heading', { name: 'Jacket 3', level: 1 }).waitFor()
  t.notOk(await page.getByText('Ethereum (1)').isVisible())
  await page.locator('main').getByText('On the chain').click()
  await page.getByText('Ethereum (1)').waitFor()
  t.same(await page.locator('.traits .type').allTextContents(), [
    '',
    'Number',
    'List',
    '',
    '',
    '',
    '',
    'Text'
  ])
  t.same(complaints, [])
})

t.test(
  'decimals are in the language of the user, relative times in that of the page',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true })
    const attributes = [
      { trait_type: 'Height', value: '1234.5' },
      { trait_type: 'Length', value: '2.50' },
      { trait_type: 'Width', value: 0.75 },
      { trait_type: 'Version', value: '1.2.3' }
    ]
    await addTemplates(db, { id: 1, name: 'Tent', data: JSON.stringify({ attributes }) })
    const { page, complaints } = await openPage(await launch(t), `${url}/#/templates/1`, { locale: 'de-DE' })
    await logIn(page)
    await page.locator('.traits td').first().waitFor()
    t.same(await page.locator('.traits td:not(.type)').allInnerTexts(), ['1.234,5', '2,50', '0,75', '1.2.3'])
    await page.clock.setFixedTime('2026-01-02T03:16:30Z')
    await page.goto(`${url}/#/?layout=table`)
    await page.locator('[data-id="1"] [data-column="changed"]', { hasText: /^12 min\.? ago/ }).waitFor()
    t.same(complaints, [])
  }
)

t.test('mistakes in a document are told in words', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, products[0] as (typeof products)[0])
  const { page } = await openPage(await launch(t), `${url}/#/templates/1/edit`)
  await logIn(page)
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = page.getByLabel('Text of the document')
  await text.fill(
    JSON.stringify({
      external_url: 'a b',
      productId: 'x',
      attributes: [
        { trait_type: 'A', value: 1 },
        { value: 2 },
        { trait_type: '', value: 3 },
        { trait_type: 7 }
      ]
    })
  )
  await text.blur()
  const problems = page.locator('.problems .problem')
  await problems.first().waitFor()
  t.same((await problems.allTextContents()).toSorted(), [
    'External url must be a link without spaces or nothing',
    'Product id must be a number or nothing',
    'The name of trait 4 must be text',
    'Trait 2 needs a name',
    'Trait 3 needs a name'
  ])
})

t.test('the user chooses the colours, which the next page begins with', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, prefix: '/shop' })
  await addTemplates(db, ...products)
  const { page, complaints } = await openPage(await launch(t), `${url}/`, { colorScheme: 'light' })
  await logIn(page)
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const [light, dark] = ['rgb(247, 246, 243)', 'rgb(20, 21, 19)']
  t.equal(await ground(), light)
  await page.click('.account summary')
  await page.getByRole('button', { name: 'Dark' }).click()
  t.equal(await ground(), dark)
  t.same(await findBarriers(page), [])
  const response = await page.reload()
  t.match(await response?.text(), '<meta name="color-scheme" content="dark" />', 'before any script')
  await page.locator('.template-card').first().waitFor()
  t.equal(await ground(), dark)
  await page.goto(`${url}/explorer/graphql`)
  await page.locator('body.graphiql-dark').waitFor()
  t.equal(await ground(), dark)
  await page.click('.account summary')
  await page.getByRole('button', { name: 'System' }).click()
  await page.locator('body.graphiql-light').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('body.graphiql-dark').waitFor()
  await page.goto(`${url}/`)
  t.equal(await ground(), dark)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.reload()
  t.equal(await ground(), light)
  t.same(complaints, [])
})

t.test(
  'one line of buttons, all filters in sight and taken off at once, no focus below the header',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true })
    await addTemplates(db, ...products)
    const { page, complaints } = await openPage(await launch(t), `${url}/#/?order=id`, {
      viewport: { width: 820, height: 700 }
    })
    await logIn(page)
    await page.getByText('21,90 EUR').or(page.getByText('21.90 EUR')).waitFor()
    const isOneLine = async (selector: string) => {
      const tops = await page
        .locator(selector)
        .evaluateAll(all => all.map(each => Math.round(each.getBoundingClientRect().top)))
      t.ok(tops.length >= 4)
      t.ok(Math.max(...tops) - Math.min(...tops) < 10, `one line: ${tops}`)
    }
    // Also at 200 % of a screen of 1360 pixels.
    for (const size of [
      { width: 820, height: 700 },
      { width: 680, height: 425 }
    ]) {
      await page.setViewportSize(size)
      await page.waitForFunction(height => {
        const name = document.querySelector('.template-card .name')
        return name !== null && name.getBoundingClientRect().bottom < height
      }, size.height)
      await isOneLine('.gallery .bar .button:visible, .gallery .order')
    }
    await page.setViewportSize({ width: 820, height: 700 })

    await page.goto(
      `${url}/#/?order=id&public=no&range.Price+EUR=19.9..25&trait.Uses="city"&trait.Colour="red"&trait.Brand="Nordlys"&trait.Size="M"`
    )
    await page.locator('.bar .pill', { hasText: 'Colour: red' }).waitFor()
    // An empty list has fewer buttons.
    await page.getByText('No template matches all of this').waitFor()
    await isOneLine('.gallery .bar .button:visible, .gallery .order, .deleted-link')
    await page.setViewportSize({ width: 680, height: 700 })
    const ends = await page
      .locator('.bar .pill, .bar .clear')
      .evaluateAll(all => all.map(each => each.getBoundingClientRect().right))
    t.ok(ends.length >= 6 && Math.max(...ends) <= 680, `no filter is beside the screen: ${ends}`)
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 680)
    await page.setViewportSize({ width: 820, height: 700 })
    await page.getByRole('link', { name: 'Clear all filters' }).click()
    await page.waitForFunction(() => document.querySelectorAll('.bar .pill').length === 0)
    t.equal(new URL(page.url()).hash, '#/?order=id', 'the order stays')

    await page.locator('.template-card').last().focus()
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Shift+Tab')
      const [card, header] = await page.evaluate(() => [
        document.activeElement?.closest('.template-card')?.getBoundingClientRect().top,
        document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0
      ])
      if (card !== undefined) t.ok(card >= (header ?? 0), `step ${step}: ${card} is below ${header}`)
    }

    await page.locator('.template-card').first().focus()
    const steps = [
      ['End', '20'],
      ['Home', '1'],
      ['PageDown', '4'],
      ['PageUp', '1']
    ]
    for (const [key, id] of steps as [string, string][]) {
      await page.keyboard.press(key)
      await page.waitForFunction(id => {
        const { dataset, getBoundingClientRect } = document.activeElement as HTMLElement
        const { top, bottom } = getBoundingClientRect.call(document.activeElement)
        return dataset.id === id && top >= 0 && bottom <= innerHeight
      }, id)
    }
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    await page.waitForFunction(() => document.activeElement?.matches('main.import'))
    const mainOutline = await page.locator('main').evaluate(main => getComputedStyle(main).outlineStyle)
    t.equal(mainOutline, 'none', 'a page as a whole shows no focus to who uses a mouse')
    await page.getByLabel('Choose a file').focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    t.match(
      await page.evaluate(() => {
        const label = document.activeElement?.closest('label')
        return label && getComputedStyle(label).outlineStyle
      }),
      'solid',
      'the button of a file shows the focus'
    )

    await page.goto(`${url}/#/`)
    await page.locator('.template-card').first().waitFor()
    const styles: Route[] = []
    await page.route('**/*.css', route => styles.push(route) && undefined)
    await page.getByRole('button', { name: 'Table' }).click()
    await until(() => styles.length > 0)
    t.equal(
      await page.locator('.with-table').evaluate(table => getComputedStyle(table).display),
      'flex',
      'the bar does not jump when the table comes'
    )
    for (const route of styles) await route.continue()
    await page.locator('[data-id="3"] [data-column="name"]').waitFor()
    t.same(complaints, [])

    await page.setViewportSize({ width: 360, height: 700 })
    await page.goto(`${url}/#/templates/3`)
    const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? 0
    await page.locator('.template h1').waitFor()
    t.ok((await top('.template h1')) < (await top('.template .picture')), 'the name comes first')
  }
)
