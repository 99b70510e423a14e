// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * The explorer in a real browser: creating, changing and restoring templates, and what happens if two do so at once.
 */
import type { Locator, Page } from 'playwright-core'
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

const data = `{ "name": "Lamp",\n  "attributes": [ { "trait_type": "MadeIn",  "value": "Norway" },
    { "trait_type": "UnitsProduced", "value": 250 } ] }`

const stored = async (url: string, token: string, id: number) =>
  (await query(url, token, `{ product(id: ${id}) { name maxItems data revision } }`)).body.data.product

/** What the page says about a field, for everybody: the text that the field names by `aria-describedby`. */
const problemOf = (field: Locator) =>
  field.evaluate(element => {
    const ids = element.getAttribute('aria-invalid') ? element.getAttribute('aria-describedby') : ''
    return ids?.split(' ').map(id => document.getElementById(id)?.textContent)
  })

async function openEditor(page: Page, url: string, id: number) {
  await page.goto(`${url}/#/templates/${id}/edit`)
  await page.getByLabel('Value of trait 1').waitFor()
}

t.test('templates are created, changed, merged, restored and deleted', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 7, name: 'Lamp', data })
  const token = await accessToken(url)
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/`)
  await logIn(page)

  await openEditor(page, url, 7)
  await page.getByLabel('Value of trait 1').fill('Japan')
  await page.reload()
  t.equal(await page.getByLabel('Value of trait 1').inputValue(), 'Japan', 'a reload loses nothing')
  t.same(await findBarriers(page), [])
  await photograph(page, 'edit')
  await page.getByPlaceholder('Reason').fill('moved')
  await page.getByRole('button', { name: 'Save revision 2' }).click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.match(
    await stored(url, token, 7),
    { revision: 2, data: data.replace('Norway', 'Japan') },
    'the rest to the byte'
  )

  await openEditor(page, url, 7)
  const maxItems = page.getByLabel('Max items')
  await maxItems.fill('0')
  t.equal(await page.locator('.problem').count(), 0, 'a field says nothing before one has left it')
  await page.getByLabel('Kind of trait 1').selectOption('Number')
  await page.getByLabel('Kind of trait 1').focus()
  t.same(await problemOf(maxItems), ['must be a whole number from 1 to 2,147,483,647'])
  t.same(await problemOf(page.getByLabel('Value of trait 1')), ['MadeIn must be text'])
  t.same(await findBarriers(page), [])
  await photograph(page, 'problems')
  await maxItems.fill('99')
  await page.getByLabel('Kind of trait 1').selectOption('Text')
  await page.getByLabel('Value of trait 1').fill('Japan')
  t.equal(await page.locator('.problem').count(), 0, 'from then on it follows each key')
  const productId = page.getByLabel('Product id')
  await productId.fill('x')
  await maxItems.focus()
  t.same(await problemOf(productId), ['A number or nothing.', 'must be a number or nothing'])
  await productId.fill('')
  t.ok(await page.getByText('Ethereum (1)').isVisible(), 'the chain has a name')
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = page.getByLabel('Text of the document')
  const twice = (await text.inputValue()).replace('"name"', '"image": "", "image": "", "name"')
  await text.fill(`${twice},`)
  await page.getByLabel('Component').first().focus()
  t.match(await problemOf(text), [/The text is not valid JSON: see line \d/])
  await text.fill(twice)
  await page.getByRole('button', { name: 'Document', exact: true }).click()
  await page.getByRole('button', { name: 'Save revision 3' }).click()
  await page.locator('.problem').waitFor()
  const image = page.getByLabel('Image', { exact: true })
  t.match((await problemOf(image))?.[1], 'a key occurs twice', 'only the service sees this')
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await text.fill(twice.replace('"image": "", "image": "", ', ''))
  t.equal(await page.locator('.problem').count(), 0)
  await page.getByRole('button', { name: 'Document', exact: true }).click()
  await page.getByLabel('Value of trait 2').fill('300')
  await query(
    url,
    token,
    `mutation { updateProduct(id: 7, input: { name: "Lantern", data: ${JSON.stringify(data.replace('250', '400'))} }) { userErrors { code } } }`
  )
  await page.getByText('Somebody saved revision 3 meanwhile').waitFor()
  await page.getByRole('button', { name: 'Save revision 3' }).click()
  await page.getByRole('alert').getByText('Ada Byron saved revision 3 on').waitFor()
  t.ok(await page.getByRole('button', { name: 'Use this choice' }).isDisabled(), 'both changed the units')
  t.same(await findBarriers(page), [])
  await photograph(page, 'conflict')
  await page.locator('tr:has-text("UnitsProduced")').getByLabel('Yours').check()
  await page.getByRole('button', { name: 'Use this choice' }).click()
  await page.getByRole('button', { name: 'Save revision 4' }).click()
  await page.waitForSelector('.traits')
  t.match(await stored(url, token, 7), {
    revision: 4,
    name: 'Lantern',
    maxItems: 99,
    data: data.replace('250', '300')
  })

  await page.goto(`${url}/#/templates/7/history?revision=2`)
  await page.getByText('Norway → Japan', { exact: true }).waitFor()
  t.notOk(await page.locator('.diff').isVisible(), 'nobody must read JSON')
  await page.getByText('Show as JSON').click()
  await page.locator('.diff').getByText('Japan').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'history')
  await page.getByRole('button', { name: 'Restore revision 2' }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.locator('.timeline').getByText('Revision 5').waitFor()
  await page.getByText('Revision 2 was restored, as revision 5.').waitFor()
  t.match(await stored(url, token, 7), { revision: 5, name: 'Lamp', data: data.replace('Norway', 'Japan') })

  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Lamp was deleted').waitFor()

  await page.getByRole('link', { name: 'Deleted templates' }).click()
  await page.getByRole('button', { name: 'Restore Lamp' }).waitFor()
  t.match(await page.locator('.deleted li').allInnerTexts(), [
    /^Lamp\n.*7 · deleted .* by Ada Byron with the explorer/s
  ])
  t.same(await findBarriers(page), [])
  await photograph(page, 'deleted')
  await page.getByRole('button', { name: 'Restore Lamp' }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('Restored', { exact: true }).waitFor()
  t.match(await stored(url, token, 7), { revision: 7, name: 'Lamp', data: data.replace('Norway', 'Japan') })
  await page.reload()
  await page.getByText('No template is deleted.').waitFor()

  await page.goto(`${url}/#/new`)
  await page.getByLabel('Name', { exact: true }).fill('Chair')
  await page.getByRole('button', { name: 'Add a trait' }).click()
  await page.getByRole('button', { name: 'Add a trait' }).click()
  await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Name of trait 2')
  t.same(await page.locator('.problem').allTextContents(), ['needs a name'], 'of the one that was left')
  await page.getByLabel('Value of trait 2').focus()
  await page.getByRole('button', { name: 'Remove trait 1' }).click()
  t.same(await problemOf(page.getByLabel('Name of trait 1')), ['needs a name'], 'it moves up with its trait')
  await page.getByLabel('Name of trait 1').fill('MadeIn')
  await page.getByLabel('Value of trait 1').fill('Peru')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('cell', { name: 'Peru' }).waitFor()
  t.match(JSON.parse((await stored(url, token, 8)).data), {
    name: 'Chair',
    component: 'DefaultProduct',
    attributes: [{ trait_type: 'MadeIn', value: 'Peru' }]
  })

  await query(
    url,
    token,
    'mutation { updateProduct(id: 8, input: { publicProduct: true }) { userErrors { code } } }'
  )
  await page.goto(`${url}/#/new`)
  await page.getByLabel('Name', { exact: true }).fill('half a table')
  await page.goto(`${url}/#/templates/8`)
  const { data: original } = await stored(url, token, 8)
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.getByText('A copy of Chair (8), without its product id.').waitFor()
  t.equal(await page.getByLabel('Value of trait 1').inputValue(), 'Peru')
  t.equal(await stored(url, token, 9), null, 'nothing is written yet')
  await page.getByLabel('Max items').fill('5')
  await page.reload()
  t.equal(await page.getByLabel('Max items').inputValue(), '5', 'a reload loses nothing')
  t.same(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Saved as revision 1.').waitFor()
  t.same(
    await stored(url, token, 9),
    { name: 'Chair', maxItems: 5, data: original, revision: 1 },
    'to the byte'
  )
  await page.goto(`${url}/#/new`)
  t.equal(
    await page.getByLabel('Name', { exact: true }).inputValue(),
    'half a table',
    'another draft is not lost'
  )
  await page.goto(`${url}/#/templates/9/edit`)
  await page.getByLabel('Max items').fill('6')
  await page.goto(`${url}/#/`)
  await page.locator('.template-card').first().waitFor()
  t.same(
    await page
      .locator('.template-card:has-text("Unsaved draft")')
      .evaluateAll(cards => cards.map(({ dataset }) => dataset.id)),
    ['9']
  )
  await page.getByRole('link', { name: 'New template unsaved draft' }).waitFor()
  t.same(await findBarriers(page), [])
  await page.locator('.template-card:has-text("Unsaved draft")').click()
  await page.getByRole('link', { name: 'Unsaved draft' }).click()
  await page.getByRole('button', { name: 'Save revision 2' }).click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.equal(await page.getByText('Unsaved draft').count(), 0)
  t.same(complaints, [])
})

t.test('a template that was deleted long ago is still listed', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 7, name: 'Lamp', data }, { id: 8, name: 'Chair' })
  const token = await accessToken(url)
  for (const id of [7, 8])
    await query(url, token, `mutation { deleteProduct(id: ${id}) { userErrors { code } } }`)
  await query(url, token, 'mutation { restoreProduct(id: 8, revision: 1) { userErrors { code } } }')
  await addTemplates(db, ...Array.from({ length: 1200 }, (_, at) => ({ id: 100 + at })))
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/#/deleted`)
  await logIn(page)
  await page.getByRole('button', { name: 'Restore Lamp' }).waitFor()
  t.equal(await page.locator('.deleted li').count(), 1, 'the chair was restored')
  t.same(complaints, [])
})

t.test(
  'one name is edited, and on the chain with it if it was the same there',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true })
    const escaped = '{ "name":"L\\u0061mp",  "attributes":[ ] }'
    const other = '{ "name":  "Old chair", "component": "" , "attributes":[ ] }'
    await addTemplates(db, { id: 7, name: 'Lamp', data: escaped }, { id: 8, name: 'Chair', data: other })
    const token = await accessToken(url)
    const browser = await launch(t)
    const { page, complaints } = await openPage(browser, `${url}/#/templates/7/edit`)
    await logIn(page)
    const name = page.getByLabel('Name', { exact: true })
    const save = page.getByRole('button', { name: /^Save/ })
    await name.fill('Lantern')
    await name.fill('Lamp')
    t.ok(await save.isDisabled(), 'the bytes are back, too')
    await name.fill('Lantern')
    await save.click()
    await page.getByText('Saved as revision 2.').waitFor()
    t.match(await stored(url, token, 7), { name: 'Lantern', data: escaped.replace('L\\u0061mp', 'Lantern') })

    await page.goto(`${url}/#/templates/8/edit`)
    await page.getByText('Differs on the chain: “Old chair”.').waitFor()
    await page.getByText('Differs on the chain: empty there.').waitFor()
    await name.fill('Old chair')
    await name.fill('Old chair, repaired')
    await page.getByLabel('Component', { exact: true }).fill('TrackingRecord')
    t.match(await page.locator('.form-field', { has: name }).innerText(), 'Differs on the chain: “Old chair”')
    t.same(await findBarriers(page), [])
    await save.click()
    await page.getByText('Saved as revision 2.').waitFor()
    t.match(await stored(url, token, 8), { name: 'Old chair, repaired', data: other }, 'the other stays')

    await page.goto(`${url}/#/templates/8/edit`)
    await page.getByText('Advanced', { exact: true }).click()
    t.equal(await page.getByLabel('Name on the chain').inputValue(), 'Old chair')
    t.same(await findBarriers(page), [])
    await page.getByRole('button', { name: 'Make it the same' }).first().click()
    await name.fill('Stool')
    await save.click()
    await page.getByText('Saved as revision 3.').waitFor()
    t.match(await stored(url, token, 8), { name: 'Stool', data: other.replace('Old chair', 'Stool') })

    await page.goto(`${url}/#/templates/8/edit`)
    await name.fill('Sofa')
    const theirs = JSON.stringify(other.replace('Old chair', 'Bench'))
    await query(
      url,
      token,
      `mutation { updateProduct(id: 8, input: { name: "Bench", data: ${theirs} }) { userErrors { code } } }`
    )
    await save.click()
    await page.getByRole('alert').getByText('Ada Byron saved revision 4 on').waitFor()
    t.same(await page.locator('.merge tbody th').allInnerTexts(), ['Name'], 'one question')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Discard what you typed?').waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByLabel('Yours: Sofa', { exact: true }).check()
    await page.getByRole('button', { name: 'Use this choice' }).click()
    await save.click()
    await page.getByText('Saved as revision 5.').waitFor()
    t.match(await stored(url, token, 8), { name: 'Sofa', data: other.replace('Old chair', 'Sofa') })
    await page.goto(`${url}/#/templates/8/history?revision=1`)
    await page.getByRole('row', { name: 'Name on the chain Old chair' }).waitFor()
    t.notOk(await page.locator('.diff').isVisible(), 'the first revision is no JSON either')
    t.same(complaints, [])
  }
)
