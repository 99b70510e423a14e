// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The page for imports in a real browser: what it writes, and what it says if it may not or cannot. */
import { t } from 'tap'
import { button, dialog, openAs } from '../../../../test/explorer/administer.ts'
import { launch, logIn, openPage, photograph } from '../../../../test/explorer/browse.ts'
import { holdMutations, isBusy } from '../../../../test/explorer/held.ts'
import { problemOf, typeOver } from '../../../../test/explorer/typing.ts'
import { accessToken, query } from '../../../../test/support/http/http.ts'
import { needs } from '../../../../test/support/programs.ts'
import { addTemplates } from '../../../../test/support/service/service.ts'
import { dropFile } from './drop.ts'

t.test('rows are imported once, even if the answer is lost', needs('chromium'), async t => {
  const { url, page, go } = await openAs(t)
  const token = await accessToken(url)
  const { keys, clickTwice } = await holdMutations(page)
  await go('#/import')
  const record = {
    blockchainId: 1,
    maxItems: 1,
    publicProduct: true,
    name: 'Chair',
    document: { name: 'Chair' }
  }
  // Without an id, nothing but the request tells that the rows are there.
  await dropFile(page, 'shop.ndjson', JSON.stringify(record))
  const importing = button(page, 'Import 1 row')
  const request = await clickTwice(importing)
  t.equal(await isBusy(importing), 'true')
  await request.fetch()
  await request.abort()
  await page.getByText('To find out, import again without changes').waitFor()
  await (await clickTwice(importing)).continue()
  await page.getByText('1 template created').waitFor()
  const { body } = await query(url, token, '{ allProducts(orderBy: { field: ID, direction: ASC }) { name } }')
  t.same(body.data.allProducts, [{ name: 'Lamp' }, { name: 'Chair' }])
  t.equal(new Set(keys).size, 1)
})

t.test('an editor imports what is not public', needs('chromium'), async t => {
  const { url, page, complaints, go } = await openAs(t, 'editor')
  const token = await accessToken(url)
  await go('#/import')
  await dropFile(
    page,
    'public.ndjson',
    '{"blockchainId":1,"maxItems":1,"name":"Bed","publicProduct":true,"data":"{}"}'
  )
  await page.getByText('left out: only a publisher can make a template public').waitFor()
  t.ok(await button(page, 'Import 0 rows').isDisabled())
  await dropFile(page, 'beds.csv', 'name;Made in\nBed;Norway\n')
  const initial = page.locator('.defaults select')
  t.equal(await initial.inputValue(), 'false')
  t.ok(await initial.locator('option', { hasText: /^Public$/ }).isDisabled())
  await button(page, 'Import 1 row').click()
  await page.getByText('Only a publisher can publish them.').waitFor()
  const { body } = await query(url, token, '{ product(id: 2) { name publicProduct } }')
  t.same(body.data.product, { name: 'Bed', publicProduct: false })
  t.same(complaints, [])
})

t.test('beside the button, the page says why nothing was imported', needs('chromium'), async t => {
  const { browser, url } = await openAs(t)
  for (const [viewport, colorScheme] of [
    [{ width: 1360, height: 700 }, 'light'],
    [{ width: 360, height: 640 }, 'dark']
  ] as const) {
    const { page } = await openPage(browser, `${url}/#/import`, { viewport, colorScheme })
    await logIn(page)
    const rows = Array.from({ length: 30 }, (_, at) => `${at},New ${at}\n`)
    await dropFile(page, 'many.csv', `sku,title\n${rows.join('')}`)
    await page.route('**/graphql', route =>
      route.request().postDataJSON().query.startsWith('mutation') ? route.abort() : route.continue()
    )
    const importing = button(page, 'Import 30 rows')
    await importing.click()
    const said = page.getByText('whether it has imported rows 2 to 31 is not known')
    await said.waitFor()
    const [above, below] = [await said.boundingBox(), await importing.boundingBox()]
    t.ok(above && below && below.y - above.y < 200)
    await photograph(page, `import-failed-${viewport.width}-${colorScheme}`)
  }
})

t.test('the defaults of an import are numbers', needs('chromium'), async t => {
  const { url } = await openAs(t)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/import`, { locale: 'de-DE' })
  await logIn(page)
  await dropFile(page, 'shop.csv', 'name,price\nChair,12\n')
  const items = page.getByLabel('Max items')
  await typeOver(items, '1x')
  await page.keyboard.press('Tab')
  t.equal(await problemOf(items), 'must be a number')
  await photograph(page, 'number-problem-import')
  await button(page, 'Import 1 row').click()
  await page.getByRole('alert').getByText('Nothing was imported').waitFor()
  await typeOver(items, '2.500')
  await page.keyboard.press('Tab')
  t.equal(await items.inputValue(), '2500')
  await button(page, 'Import 1 row').click()
  await page.getByText('1 template created').waitFor()
  await page.goto(`${url}/#/?layout=table`)
  await page.locator('[data-column=supply]').getByText('2.500').waitFor()
  t.same(complaints, [])
})

t.test('the columns follow what an import brings, and its undo', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t)
  const makeData = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Colour', value }] })
  await addTemplates(
    db,
    ...['red', 'red', 'blue'].map((value, at) => ({ id: 2 + at, data: makeData(value) }))
  )
  const column = (name: string) => page.getByRole('columnheader', { name })
  await go('#/?layout=table')
  await column('Colour').waitFor()

  await go('#/import')
  const rows = Array.from({ length: 40 }, (_, at) => `OUT-${at};Coat ${at};${at + 10},50;${'ab'[at % 2]}\n`)
  await dropFile(page, 'coats.csv', `SKU;Title;Preis;Lining\n${rows.join('')}`)
  await button(page, 'Import 40 rows').click()
  await page.getByText('40 templates created').waitFor()
  await go('#/?layout=table')
  await column('Preis').waitFor()
  await column('Lining').waitFor()
  t.equal(await column('Colour').count(), 0)
  await button(page, 'Columns').click()
  await page.getByRole('checkbox', { name: 'Lining' }).waitFor()

  await go('#/bulk-changes')
  await button(page, 'Undo Created 40 templates').click()
  await button(dialog(page), 'Undo 40 changes').click()
  await page.getByText('Undone: 40 templates were deleted.').waitFor()
  await go('#/?layout=table')
  await column('Colour').waitFor()
  t.equal(await column('Preis').count(), 0)
  t.same(complaints, [])
})
