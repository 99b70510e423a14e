// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser, below a prefix: logging in, finding templates, looking at them, logging out. */
import { t } from 'tap'
import { demoTemplates } from '../../seeds/seed.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

t.test('a user logs in, searches, filters, opens a template and logs out', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, prefix: '/shop' })
  await addTemplates(db, ...demoTemplates)
  const browser = await launch(t)
  // Without the slash at the end, and with a place behind the address, which outlasts the login.
  const { page, complaints } = await openPage(browser, `${url}#/?order=name`, {
    permissions: ['clipboard-read', 'clipboard-write']
  })
  await logIn(page)
  const names = () => page.locator('.template-card .name').allTextContents()
  await page.waitForSelector('.template-card')
  t.equal(page.url(), `${url}/#/?order=name`)
  t.match(await page.textContent('.account summary'), 'account of Ada Byron')
  t.same((await names()).slice(0, 2), ['Brisa Atlantica crate', 'Brisa Atlântica sea salt'])
  t.same(await findBarriers(page), [])
  await photograph(page, 'gallery')

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  t.equal(await page.locator('li:first-child .template-card:focus').count(), 1, 'the filters are skipped')
  await page.keyboard.press('/')
  await page.keyboard.press('ArrowDown')
  t.equal(await page.locator('li:first-child .template-card:focus').count(), 1)
  await page.getByRole('link', { name: 'New template' }).focus()
  await page.keyboard.press('Tab')
  t.ok(
    await page.evaluate(() => document.activeElement?.closest('.facets')),
    'the filters come after the actions'
  )

  await page.keyboard.press('/')
  await page.keyboard.type('nordlys')
  await page.waitForFunction(() => document.querySelectorAll('.template-card').length === 1)
  t.same(await names(), ['Nordlys Works trail jacket'])
  t.equal(new URL(page.url()).hash, '#/?order=name&q=nordlys')
  await page.click('a.mark')
  await page.getByLabel('Portugal').check()
  await page.waitForFunction(() => document.querySelectorAll('.template-card').length === 2)
  t.match(await page.textContent('.bar [role=status]'), '2 of 12')
  const stream = page.waitForResponse(response => response.url().endsWith('/changes'))
  await page.reload()
  await page.waitForSelector('.template-card')
  t.equal((await names()).length, 2, 'the filter is in the address')
  await page.getByRole('link', { name: 'Made in: Portugal' }).click()
  await page.waitForFunction(() => document.querySelectorAll('.template-card').length === 12)

  await page.locator('.facets').getByText('On the chain').click()
  await page.getByLabel('Max items, from').fill('13')
  await page.getByLabel('Max items, to').fill('400')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Max items: 13 to 400' }).waitFor()
  t.match(page.url(), 'items=13-400')
  await page.waitForFunction(() => document.querySelectorAll('.template-card').length < 12)
  await page.getByRole('link', { name: 'Max items: 13 to 400' }).click()
  await page.waitForFunction(() => document.querySelectorAll('.template-card').length === 12)

  await stream
  await page.mouse.wheel(0, 120)
  await page.waitForFunction(() => scrollY === 120)
  const place = () => page.locator('.template-card').first().boundingBox()
  const before = await place()
  await addTemplates(db, { id: 901, name: 'Arabica' }, { id: 902, name: 'Zest' })
  const more = page.getByRole('button', { name: 'Show 2 new templates' })
  await more.waitFor()
  t.match(await page.textContent('.bar [role=status]'), /^14 /)
  t.same([await place(), (await names()).length], [before, 12], 'nothing moves')
  t.same(await findBarriers(page), [])
  await photograph(page, 'news')
  await more.click()
  await page.locator('.template-card', { hasText: 'Arabica' }).waitFor()
  t.equal((await names()).length, 14)

  await page.locator('.template-card').first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.traits')
  t.equal(await page.textContent('h1'), 'Casa Brisa calendar')
  t.same(await findBarriers(page), [])
  await photograph(page, 'traits')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.template-card')
  await page.goto(`${url}/#/templates/15`)
  t.match(
    await page.getByLabel('As a buyer sees it').innerText(),
    /Trail jacket\n.*repairable\n.*2 % to Clean Fjords/s
  )
  t.match(await page.textContent('tr:has-text("CharityMessage")'), 'empty text')
  for (const [tab, found] of [
    ['Data', '"trait_type"'],
    ['Metadata', '"attributes"'],
    ['History', 'Revision 1']
  ] as const) {
    await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click()
    await page.locator('main').getByText(found).first().waitFor()
    const isLow = ({ scrollHeight, clientHeight }: Element) => scrollHeight === clientHeight
    t.ok(await page.locator('.tabs').evaluate(isLow), 'the tabs have no scrollbar')
    t.same(await findBarriers(page), [], tab)
    await photograph(page, tab.toLowerCase())
  }

  await page.getByRole('link', { name: 'GraphQL' }).click()
  await page.getByRole('button', { name: /^Execute query/ }).click()
  await page.locator('.result-window').getByText('2147483647').waitFor()
  await photograph(page, 'graphql')
  await page.getByTitle('Copy as code').click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await until(async () => (await copied()) !== '')
  t.match(await copied(), /^curl -sS .*allProducts.*\/shop\/graphql$/)

  await page.click('.account summary')
  await page.getByRole('button', { name: 'Log out' }).click()
  // The page that follows has the same button.
  await page.waitForURL('**/oauth/logout')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('You are logged out').waitFor()
  await page.goto(`${url}/`)
  await page.waitForSelector('[name=password]')
  t.same(complaints, [])
})

t.test('a subscription in GraphiQL shows each change, until it is stopped', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...demoTemplates)
  const { page, complaints } = await openPage(await launch(t), `${url}/`)
  await logIn(page)
  await page.goto(`${url}/explorer/graphql`)
  await page.locator('main:not([inert])').waitFor()
  await page.locator('.graphiql-query-editor .view-lines').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(
    'subscription Live { productChanged(after: "start", where: { id: { equals: 12 } }) { templateId action revision } }'
  )
  await page.getByRole('button', { name: /^Execute query/ }).click()
  const result = page.locator('.result-window')
  await result.getByText('"INSERT"').waitFor()
  await db.updateTable('product_template').set({ name: 'renamed' }).where('id', '=', 12).execute()
  await result.getByText('"UPDATE"').waitFor()
  await page.getByRole('button', { name: /^Stop query/ }).click()
  await page.getByRole('button', { name: /^Execute query/ }).waitFor()
  t.same(complaints, [])
})

t.test('every page can be used by keyboard from its beginning', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...demoTemplates)
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/`)
  await logIn(page)
  const skipLink = page.getByRole('button', { name: /^Skip to the (content|templates)$/ })
  for (const place of [
    '#/',
    '#/templates/15',
    '#/templates/15/edit',
    '#/new',
    '#/import',
    '#/deleted',
    'explorer/graphql'
  ]) {
    await page.goto('about:blank')
    await page.goto(`${url}/${place}`)
    await page.locator('main:not([aria-busy=true]):not([inert])').waitFor()
    if (place === '#/') {
      await page.locator('.template-card').first().waitFor()
      await page.keyboard.press('Tab')
    }
    if (/edit|new/.test(place))
      await page.waitForFunction(() => document.activeElement?.getAttribute('data-field') === 'name')
    if (place !== '#/') await skipLink.focus()
    t.equal((await skipLink.boundingBox())?.x, 8, `${place} shows the way past the header`)
    await page.keyboard.press('Enter')
    const expected = place === '#/' ? '.template-card' : 'main'
    t.ok(await page.evaluate(expected => document.activeElement?.matches(expected), expected), place)
  }
  t.same(complaints, [])
})

t.test('bytes and operations have enough contrast', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...demoTemplates)
  const browser = await launch(t)
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage(browser, `${url}/#/templates/12/data`, { colorScheme })
    await logIn(page)
    await page.locator('.bytes .string').nth(2).click()
    await page.locator('.tree [aria-pressed=true]').waitFor()
    t.same(await findBarriers(page), [], `Data, ${colorScheme}`)
    await page.goto(`${url}/explorer/graphql`)
    await page.getByRole('button', { name: /^Execute query/ }).click()
    await page.locator('.result-window').getByText('2147483647').waitFor()
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByText('All Schema Types').waitFor()
    t.same(await findBarriers(page, ['color-contrast']), [], `GraphiQL, ${colorScheme}`)
    await page.context().close()
  }
})

t.test('dark, on a narrow screen', needs('chromium'), async t => {
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...demoTemplates)
  const browser = await launch(t)
  for (const width of [360, 820]) {
    const { page, complaints } = await openPage(browser, `${url}/`, {
      viewport: { width, height: 800 },
      colorScheme: 'dark'
    })
    await logIn(page)
    for (const place of ['#/templates/15', '#/templates/15/history', '#/']) {
      await page.goto(`${url}/${place}`)
      await page.locator('.template-card, main.template h1').first().waitFor()
      t.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, place)
      t.same(await findBarriers(page), [], `${place} at ${width}`)
      await photograph(page, `dark-${width}${place.replace(/\W+/g, '-')}`)
    }
    // An offer to fetch missing pictures may follow.
    const { y = 0, height = 0 } = (await page.locator('.gallery .bar').boundingBox()) ?? {}
    t.ok(y > 0 && y + height < 254, 'three rows at most are between the header and the templates')
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('dialog').getByLabel('Not public').check()
    await page.locator('.bar .pill', { hasText: 'Not public' }).waitFor()
    t.same(complaints, [])
  }
})
