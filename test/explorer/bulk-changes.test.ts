// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The page of imports and bulk changes in a real browser: what was written, and its undo. */
import { t } from 'tap'
import { dropFile } from '../../features/spreadsheets/test/explorer/drop.ts'
import { users } from '../../store.ts'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { storedTemplates, user } from '../support/service/service.ts'
import { button, dialog, heading, openAs } from './administer.ts'
import { findBarriers, photograph } from './browse.ts'

/** A file of 120 products. */
const csv = (price: number) =>
  [
    'name;SKU;Price',
    ...Array.from({ length: 120 }, (_, at) => `Tent ${at};T-${1000 + at};${price + at}`)
  ].join('\n')

t.test(
  'an import of 120 is undone, but for what somebody has changed, and the undo too',
  needs('chromium'),
  async t => {
    const { db, url, page, complaints, go } = await openAs(t)
    const token = await accessToken(url)
    const names = async () => (await storedTemplates(db)).map(({ name }) => name)
    await go('#/bulk-changes')
    await page.getByText('Nobody has imported or changed many templates at once yet.').waitFor()
    await go('#/import')
    await dropFile(page, 'tents.csv', csv(10))
    await button(page, 'Import 120 rows').click()
    await page.getByText('120 templates created').waitFor()
    await page.getByPlaceholder('Search 121 templates').waitFor()
    t.equal((await names()).length, 121)
    await query(
      url,
      token,
      'mutation { updateProduct(id: 5, input: { name: "Kept" }) { userErrors { code } } }'
    )

    await page.getByRole('link', { name: 'Show or undo them' }).click()
    await heading(page, 'Created 120 templates').waitFor()
    await page.locator('.account summary').click()
    await page.locator('.account').getByRole('link', { name: 'Imports and bulk changes' }).click()
    await page.getByText(/by Ada Byron with the explorer/).waitFor()
    t.same(await findBarriers(page), [])
    await photograph(page, 'bulk-changes')
    await page.getByRole('link', { name: /^Show these/ }).click()
    await heading(page, 'Created 120 templates').waitFor()
    await page.locator('.pill', { hasText: 'Changed since' }).waitFor()
    t.equal(await page.locator('li').count(), 50)
    await button(page, 'Show more').click()
    await page.getByRole('link', { name: 'Tent 80' }).waitFor()
    t.same(await findBarriers(page), [])
    await photograph(page, 'bulkChange')

    await button(page, 'Undo Created 120 templates').click()
    t.same(await findBarriers(page), [])
    await dialog(page)
      .getByText(/^New templates are deleted\. Templates/)
      .waitFor()
    await dialog(page).getByText('119 of 120 can be undone; 1 was changed since: Kept (id 5).').waitFor()
    await photograph(page, 'undo-plan')
    await button(dialog(page), 'Undo 119 changes').click()
    await page.getByText('Undone: 119 templates were deleted.').waitFor()
    await page
      .getByText('1 template was left alone, because somebody has changed them since: Kept (id 5).')
      .waitFor()
    t.same((await names()).toSorted(), ['Kept', 'Lamp'])
    await page.getByPlaceholder('Search 2 templates').waitFor()

    const undo = button(page, 'Undo Created 120 templates')
    await page.locator('[aria-disabled=true]').waitFor()
    t.ok(await undo.isDisabled(), 'the one that is left cannot be undone')

    await go('#/deleted')
    await page
      .getByText(/“undo: Created 120 templates, .*: Imported from tents.csv”$/)
      .first()
      .waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await go('#/bulk-changes')
    await page.locator('strong', { hasText: 'Deleted 119 templates' }).waitFor()
    await page.getByText(/119 templates undone .* by Ada Byron with the explorer/).waitFor()
    t.equal(await page.locator('.pill', { hasText: /^Undone$/ }).count(), 0)
    t.equal(
      await page.evaluate('document.documentElement.scrollWidth'),
      360,
      'nothing is wider than the screen'
    )
    t.same(await findBarriers(page), [])
    await photograph(page, 'bulkChanges-narrow-dark')
    await button(page, 'Undo Deleted 119 templates').click()
    await dialog(page)
      .getByText(/^Deleted templates are restored\./)
      .waitFor()
    await dialog(page).getByText('All can be undone.').waitFor()
    await button(dialog(page), 'Undo 119 changes').click()
    await page.getByText('Undone: 119 templates were restored.').waitFor()
    const entry = (title: string) => page.locator('li', { has: page.locator('strong', { hasText: title }) })
    await entry('Deleted 119 templates').getByText('Undo of “Created 120 templates”').waitFor()
    await entry('Restored 119 templates').getByText('Redo of “Created 120 templates”').waitFor()
    t.equal(
      await entry('Restored 119 templates')
        .getByRole('link', { name: 'Created 120 templates' })
        .getAttribute('href'),
      await entry('Created 120 templates')
        .getByRole('link', { name: /^Show these/ })
        .getAttribute('href')
    )
    await page.locator('strong', { hasText: /^Undo: deleted 119 templates$/ }).waitFor()
    await page.locator('strong', { hasText: /^Redo: restored 119 templates$/ }).waitFor()
    await page.locator('strong', { hasText: /^Created 120 templates$/ }).waitFor()
    const undone = entry('Deleted 119 templates')
    await undone.getByText('Undone: 119 templates were restored.').waitFor()
    t.ok(await button(undone, 'Undo Deleted 119 templates').isDisabled())
    t.equal(await undone.locator('.button:focus').count(), 1, 'it keeps the focus')
    await entry('Created 120 templates')
      .getByText(/119 templates undone .* the explorer; this was undone, too$/)
      .waitFor()
    await page.locator('strong', { hasText: 'Restored 119 templates' }).waitFor()
    t.equal(await undone.locator('.pill').count(), 0, 'the result says it already')
    t.same(await findBarriers(page), [])
    await photograph(page, 'bulkChanges-undone')
    t.equal((await names()).length, 121)
    t.ok((await names()).includes('Tent 119'))
    await button(page, 'Undo Restored 119 templates').click()
    await button(dialog(page), 'Undo 119 changes').click()
    await page.getByText('Undone: 119 templates were deleted.').waitFor()
    await entry('Created 120 templates')
      .getByText(/119 templates undone .* the explorer$/)
      .waitFor()
    t.equal((await names()).length, 2, 'the undo of the repetition counts')
    await undone.getByText(/^Undone .* by Ada Byron with the explorer; this was undone, too$/).waitFor()
    t.same(complaints, [])
  }
)

t.test('a renaming that was undone does not prevent the undo of the import', needs('chromium'), async t => {
  const { db, url, page, go, complaints } = await openAs(t)
  await go('#/import')
  await dropFile(page, 'beds.csv', 'name;SKU\nBed;B-1\nDesk;D-1\nLamp two;L-1\n')
  await button(page, 'Import 3 rows').click()
  await page.getByText('3 templates created').waitFor()
  const token = await accessToken(url)
  for (const change of [
    'updateProducts(ids: [2, 3], change: { maxItems: 7 })',
    'restoreProducts(input: [{ id: 2, revision: 1, expectedRevision: 2 }])',
    'updateProduct(id: 4, input: { name: "Torch" })',
    'restoreProduct(id: 4, revision: 1)',
    'deleteProduct(id: 4)',
    'restoreProduct(id: 4, revision: 1)'
  ])
    await query(url, token, `mutation { change: ${change} { userErrors { code } } }`)
  await go('#/bulk-changes')
  await button(page, 'Undo Created 3 templates').click()
  await dialog(page).getByText('2 of 3 can be undone; 1 was changed since: Desk (id 3).').waitFor()
  await button(dialog(page), 'Undo 2 changes').click()
  await page.getByText('Undone: 2 templates were deleted.').waitFor()
  t.same((await storedTemplates(db)).map(({ name }) => name).toSorted(), ['Desk', 'Lamp'])
  await page.locator('[aria-disabled=true]', { hasText: 'Undo Created 3 templates' }).waitFor()
  let plans = 0
  page.on('request', request => {
    if (request.postData()?.includes('query Undoable')) plans++
  })
  await page.reload()
  await button(page, 'Undo Created 3 templates').waitFor()
  t.equal(plans, 0, 'the list plans nothing')
  await button(page, 'Undo Created 3 templates').click()
  await dialog(page)
    .getByText('0 of 3 can be undone; 2 have their former state already; 1 was changed since: Desk (id 3).')
    .waitFor()
  t.ok(await button(dialog(page), 'Undo 0 changes').isDisabled())
  t.equal(await page.locator(':focus').innerText(), 'Undo 0 changes', 'it keeps the focus')
  await page.keyboard.press('Enter')
  t.equal(await dialog(page).count(), 1, 'and does nothing')
  t.same(complaints, [])
})

t.test('an editor undoes what changed, and is told why what was new stays', needs('chromium'), async t => {
  const { db, page, go } = await openAs(t, 'editor')
  await go('#/import')
  await dropFile(page, 'beds.csv', 'name;Made in\nBed;Norway\n')
  await button(page, 'Import 1 row').click()
  await page.getByText('1 template created').waitFor()
  await go('#/bulk-changes')
  await button(page, 'Undo Created 1 template').click()
  await dialog(page).getByText('Only a publisher may delete new templates').waitFor()
  await dialog(page).getByText('0 of 1 can be undone; 1 only by a publisher.').waitFor()
  t.ok(await button(dialog(page), 'Undo 0 changes').isDisabled())
  t.same((await storedTemplates(db)).map(({ name }) => name).toSorted(), ['Bed', 'Lamp'])
})

t.test('a hidden template is not taken for a deleted one', needs('chromium'), async t => {
  const { db, url, page, go } = await openAs(t)
  const token = await accessToken(url)
  await users.update(db, user.email, { where: { publicProduct: { equals: false } } })
  await go('#/import')
  await dropFile(page, 'beds.csv', 'name;SKU\nBed;B-1\nDesk;D-1\n')
  await button(page, 'Import 2 rows').click()
  await page.getByText('2 templates created').waitFor()
  await users.update(db, user.email, { where: null })
  for (const change of ['updateProduct(id: 2, input: { publicProduct: true })', 'deleteProduct(id: 3)'])
    await query(url, token, `mutation { change: ${change} { userErrors { code } } }`)
  await users.update(db, user.email, { where: { publicProduct: { equals: false } } })
  await go('#/bulk-changes')
  await page.reload()
  await button(page, 'Undo Created 2 templates').click()
  await dialog(page)
    .getByText('0 of 2 can be undone; 1 has its former state already; 1 was changed since: id 2.')
    .waitFor()
})

t.test('a refused user is told that the lists could not be read', needs('chromium'), async t => {
  const { page, go } = await openAs(t, 'reader')
  const errors = [{ message: 'refused', extensions: { code: 'FORBIDDEN' } }]
  await page.route('**/graphql', (route, request) =>
    /query BulkChange/.test(request.postData() ?? '') ? route.fulfill({ json: { errors } }) : route.fallback()
  )
  await go('#/bulk-changes')
  await page.getByText('The list could not be read.').waitFor()
  await go('#/bulk-changes/1')
  await page.getByText('This could not be read.').waitFor()
})
