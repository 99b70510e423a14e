// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** Former states in a real browser: any two revisions are compared, and many deleted templates are restored at once. */
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service, storedTemplates } from '../support/service/service.ts'
import { button, dialog, openAs } from './administer.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

t.test('any two revisions are compared', needs('chromium'), async t => {
  const { url, page, complaints, go } = await openAs(t)
  const token = await accessToken(url)
  for (const name of ['Lantern', 'Torch', 'Candle'])
    await query(
      url,
      token,
      `mutation { updateProduct(id: 1, input: { name: "${name}" }) { userErrors { code } } }`
    )
  const pasted = '{ id: 1, name: "Lamp", blockchainId: 1, maxItems: 1, document: { attributes: [] } }'
  const paste = `mutation { importProducts(input: [${pasted}], mode: REPLACE) { userErrors { message } } }`
  t.same((await query(url, token, paste)).body.data.importProducts.userErrors, [])
  await go('#/templates/1/history?revision=3')
  const compare = page.getByLabel('Compare with')
  await page.getByRole('heading', { name: 'From revision 2 to 3' }).waitFor()
  t.equal(await compare.inputValue(), '2')
  await page.getByRole('link', { name: /^Revision 5.* · import or bulk change by Ada Byron/ }).waitFor()
  await compare.selectOption('revision 1')
  await page.getByRole('heading', { name: 'From revision 1 to 3' }).waitFor()
  await page.getByText('Lamp → Torch').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'compare')
  await compare.selectOption('revision 4')
  await page.getByText('Candle → Torch').waitFor()
  await page.getByRole('link', { name: /^Revision 1/ }).click()
  await page.getByRole('heading', { name: 'Revision 1, the first' }).waitFor()
  await compare.selectOption('revision 4')
  await page.getByText('Candle → Lamp').waitFor()
  t.same(complaints, [])
})

t.test('deleted templates have names, however few aliases the service allows', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, graphqlMaxAliases: 2 })
  const names = ['Bed', 'Chair', 'Desk', 'Lamp', 'Sofa']
  const stools = Array.from({ length: 20 }, (_, at) => ({ id: 10 + at, name: `Stool ${at}` }))
  await addTemplates(db, ...names.map((name, at) => ({ id: at + 1, name })), ...stools)
  const token = await accessToken(url)
  await query(url, token, 'mutation { deleteProducts(where: {}) { userErrors { code } } }')
  const { body } = await query(url, token, '{ bulkChanges { nodes { id } } }')
  const [bulkChange] = body.data.bulkChanges.nodes
  const { page } = await openPage(await launch(t), `${url}/#/deleted`)
  await logIn(page)
  for (const place of ['#/deleted', `#/bulk-changes/${bulkChange.id}`]) {
    await page.goto(`${url}/${place}`)
    if (place === '#/deleted') {
      await page.getByText('Shown: 20 of 25.').waitFor()
      await button(page, 'Show more').click()
    }
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor()
  }
})

t.test('many deleted templates are restored, but for one that is back', needs('chromium'), async t => {
  const { db, url, page, complaints, go } = await openAs(t)
  await addTemplates(db, { id: 2, name: 'Bed' }, { id: 3, name: 'Chair' }, { id: 4, name: 'Desk' })
  const token = await accessToken(url)
  await query(url, token, 'mutation { deleteProducts(where: {}) { userErrors { code } } }')
  await go('#/deleted')
  const restore = (number: number) => button(page, `Restore ${number} templates`)
  await page.getByLabel('All 4 templates shown here').check()
  await page.getByLabel('Choose Chair').uncheck()
  await photograph(page, 'deleted-many')
  t.same(await findBarriers(page), [])

  await query(url, token, 'mutation { restoreProduct(id: 2, revision: 1) { userErrors { code } } }')
  await restore(3).click()
  await button(dialog(page), 'Restore 3 templates').click()
  await dialog(page).getByText('Restored: 2 templates.').waitFor()
  await dialog(page).getByText('Template 2: the template was changed: its revision is 3.').waitFor()
  t.same(await findBarriers(page), [])
  await button(dialog(page), 'Cancel').click()
  t.same((await storedTemplates(db)).map(({ name }) => name).toSorted(), ['Bed', 'Desk', 'Lamp'])
  t.ok(await page.getByLabel('Choose Desk').isDisabled())
  await page.setViewportSize({ width: 360, height: 740 })
  t.equal(
    await page.evaluate('document.documentElement.scrollWidth'),
    360,
    'nothing is wider than the screen'
  )
  await photograph(page, 'deleted-many-narrow')
  t.same(complaints, [])
})

t.test('more templates are listed than the service allows aliases', needs('chromium'), async t => {
  const { db, url, page, complaints, go } = await openAs(t)
  const names = Array.from({ length: 20 }, (_, at) => `Chair ${at + 2}`)
  await addTemplates(db, ...names.map((name, at) => ({ id: at + 2, name })))
  const token = await accessToken(url)
  await query(url, token, 'mutation { deleteProducts(where: {}) { userErrors { code } } }')
  await go('#/deleted')
  await page.getByRole('link', { name: 'Chair 21' }).waitFor()
  t.equal(await page.locator('li.card').count(), 20)
  await button(page, 'Show more').click()
  await page.getByRole('link', { name: 'Lamp' }).waitFor()

  await go('#/bulk-changes')
  await page.getByRole('link', { name: /^Show these/ }).click()
  for (const name of ['Lamp', 'Chair 2', 'Chair 21'])
    await page.getByRole('link', { name, exact: true }).waitFor()
  t.same(complaints, [])
})
