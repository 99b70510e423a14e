// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The form of a shop in a real browser: it takes prices, dates and numbers as the owner writes them, or says how they are unlike. */
import type { Locator, Page } from 'playwright-core'
import { type Test, t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'
import { noteOf, problemOf, typeOver } from './typing.ts'

/** Products of a shop. The last one is older than its prices and dates. */
const products = Array.from({ length: 20 }, (_, at) => ({
  id: at + 1,
  name: `Jacket ${at + 1}`,
  data: JSON.stringify({
    attributes: [
      { trait_type: 'SKU', value: `OUT-${1001 + at}` },
      { trait_type: 'Price EUR', value: at === 19 ? 'soon' : `${19 + at}.90` },
      {
        trait_type: 'Delivered',
        value: at === 19 ? 'in spring' : `2026-03-${String(at + 1).padStart(2, '0')}`
      },
      { trait_type: 'Weight', value: 300 + at }
    ]
  })
}))

async function openShop(t: Test, locale: string, validation: 'enforce' | 'warn' = 'enforce') {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, validation })
  await addTemplates(db, ...products)
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/`, { locale })
  await logIn(page)
  const read = async (id: number) =>
    JSON.parse(
      (await query(url, token, `{ product(id: ${id}) { data } }`)).body.data.product.data
    ).attributes.map(({ value }: { value: unknown }) => value)
  return { db, url, page, complaints, read }
}

async function openForm(page: Page, url: string, id: number): Promise<void> {
  await page.goto(`${url}/#/templates/${id}/edit`)
  await page.getByLabel('Value of trait 1', { exact: true }).waitFor()
}

/** Whether nothing covers the lower end of an element. */
const isInSight = (element: Locator) =>
  element.evaluate(found => {
    const { left, bottom } = found.getBoundingClientRect()
    return found.contains(document.elementFromPoint(left + 1, bottom - 2))
  })

const valueField = (page: Page, trait: number) => page.getByLabel(`Value of trait ${trait}`, { exact: true })

t.test('a price and a date in the form are read as in the table', needs('chromium'), async t => {
  for (const [locale, typed, price, date, shown] of [
    ['de-DE', '1.234,50 €', '1234.50', '3.4.2026', '19,90'],
    ['en-US', '€1,234.50', '1234.50', '4/3/2026', '19.90'],
    ['fr-FR', '1\u202f234,50 EUR', '1234.50', '03/04/2026', '19,90']
  ] as const) {
    const { url, page, complaints, read } = await openShop(t, locale)
    await openForm(page, url, 1)
    t.equal(await valueField(page, 2).inputValue(), shown, 'as the language writes it')
    for (const [trait, text, problem] of [
      [2, 'soon', 'must be a number'],
      [2, '19,90 $', 'must be in EUR, as the name of the trait says, but is in $'],
      [2, '1O,50', 'must be a number, but has the letter O'],
      [3, '31.02.2026', 'is a day that does not exist'],
      [3, 'tomorrow', 'must be a date, such as 2026-01-31 or 31.01.2026']
    ] as const) {
      // The field is just above the bar.
      await valueField(page, trait).evaluate(field =>
        scrollBy(0, field.getBoundingClientRect().bottom - innerHeight + 95)
      )
      await typeOver(valueField(page, trait), text)
      await page.keyboard.press('Tab')
      t.equal(await noteOf(valueField(page, trait)), `Kept as typed, unlike the other values: ${problem}`)
      t.equal(await problemOf(valueField(page, trait)), '', 'it is not refused')
      t.ok(await isInSight(page.locator('.trait-row .problem')), 'the note is not behind the bar')
      t.equal(await valueField(page, trait).inputValue(), text, 'the text is kept')
      await typeOver(valueField(page, trait), trait === 2 ? shown : '2026-03-01')
    }
    await typeOver(valueField(page, 2), typed)
    await typeOver(valueField(page, 3), date)
    await page.keyboard.press('Tab')
    t.equal(await valueField(page, 3).inputValue(), '2026-04-03')
    t.equal(await noteOf(valueField(page, 3)), '')
    await photograph(page, 'prices')
    await page.getByRole('button', { name: 'Save revision 2' }).click()
    await page.getByText('Saved as revision 2.').waitFor()
    t.same(await read(1), ['OUT-1001', price, '2026-04-03', 300])
    t.same(complaints, [])
  }
})

t.test('an older text of a price is kept, and a price may be left out', needs('chromium'), async t => {
  const { url, page, complaints, read } = await openShop(t, 'de-DE')
  await openForm(page, url, 20)
  await typeOver(valueField(page, 2), '5')
  await typeOver(valueField(page, 2), 'soon')
  await typeOver(valueField(page, 4), '77')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await read(20), ['OUT-1020', 'soon', 'in spring', 77])
  await openForm(page, url, 20)
  await typeOver(valueField(page, 2), '')
  await page.getByRole('button', { name: 'Add a trait' }).click()
  const names = await page
    .locator('#trait-names option')
    .evaluateAll(options => options.map(option => (option as HTMLOptionElement).value))
  t.same(names.slice(0, 4).toSorted(), ['Delivered', 'Price EUR', 'SKU', 'Weight'], 'the names of the shop')
  await page.getByLabel('Name of trait 5').fill('Price EUR')
  await typeOver(valueField(page, 5), 'soon')
  t.same(await findBarriers(page), [])
  await typeOver(valueField(page, 5), '7,5')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as revision 3.').waitFor()
  t.same(await read(20), ['OUT-1020', '', 'in spring', 77, '7.5'])
  t.same(complaints, [])
})

t.test('a text that no other price has is saved, and outlives another name', needs('chromium'), async t => {
  const { url, page, complaints, read } = await openShop(t, 'de-DE')
  await openForm(page, url, 1)
  await typeOver(valueField(page, 2), 'auf Anfrage')
  await typeOver(valueField(page, 3), 'bald')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await read(1), ['OUT-1001', 'auf Anfrage', 'bald', 300])
  await openForm(page, url, 2)
  await typeOver(valueField(page, 2), 'auf Anfrage')
  await page.getByLabel('Name of trait 2').fill('Note')
  t.equal(await valueField(page, 2).inputValue(), 'auf Anfrage')
  t.equal(await noteOf(valueField(page, 2)), '', 'a note may be any text')
  await page.getByLabel('Name of trait 2').fill('Price EUR')
  t.match(await noteOf(valueField(page, 2)), 'must be a number')
  t.same(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  t.match(await page.getByLabel('Text of the document').inputValue(), 'auf Anfrage')
  t.same(complaints, [])
})

t.test('a price becomes the number that the field shows', needs('chromium'), async t => {
  const { db, url, page, complaints, read } = await openShop(t, 'de-DE', 'warn')
  await addTemplates(db, {
    id: 21,
    data: JSON.stringify({
      attributes: [
        { trait_type: 'Price EUR', value: '1.850' },
        { trait_type: 'Price EUR', value: 1.75 }
      ]
    })
  })
  await openForm(page, url, 21)
  t.equal(await valueField(page, 1).inputValue(), '1,850')
  await page.getByLabel('Kind of trait 1').selectOption('Number')
  t.equal(await valueField(page, 1).inputValue(), '1,85')
  await typeOver(valueField(page, 2), '1,80')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await read(21), [1.85, 1.8], 'numbers stay numbers, also with decimals')
  t.same(complaints, [])
})

t.test('what the service would refuse is told at the field, and not sent', needs('chromium'), async t => {
  const { url, page, complaints, read } = await openShop(t, 'de-DE')
  const sent: string[] = []
  page.on('request', request => {
    if (request.postData()?.includes('mutation')) sent.push(request.postData() ?? '')
  })
  await openForm(page, url, 1)
  const weight = valueField(page, 4)
  const save = page.getByRole('button', { name: 'Save revision 2' })
  for (const [text, problem] of [
    ['12,5', 'must be a whole number; choose Text to keep the decimals'],
    ['viel', 'must be a number'],
    ['9007199254740994', /must be from .* to 9.007.199.254.740.991; choose Text to keep more digits/],
    ['-1e300', /must be from .* to 9.007.199.254.740.991; choose Text to keep more digits/],
    ['1e400', 'is too large']
  ] as const) {
    await page.getByLabel('Max items').fill('7')
    await typeOver(weight, text)
    await save.click()
    await page.getByRole('alert').getByText('Nothing was saved').waitFor()
    await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Value of trait 4')
    t.match(await problemOf(weight), problem)
  }
  t.same(await findBarriers(page), [])
  await typeOver(weight, '12,5')
  await page.reload()
  await weight.waitFor()
  t.equal(await page.locator('.problem').count(), 0)
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Value of trait 4')
  t.equal(
    await problemOf(weight),
    'must be a whole number; choose Text to keep the decimals',
    'of a kept draft'
  )
  await save.click()
  await page.getByLabel('Name', { exact: true }).focus()
  await save.press('Enter')
  await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Value of trait 4')
  t.same(sent, [])
  await page.getByLabel('Kind of trait 4').selectOption('Text')
  t.equal(await page.locator('.problem').count(), 0)
  await save.click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await read(1), ['OUT-1001', '19.90', '2026-03-01', '12.5'])
  t.equal(sent.length, 1)
  t.same(complaints, [])
})

t.test('a field keeps the focus when its last line break is deleted', needs('chromium'), async t => {
  const { db, url, page, complaints } = await openShop(t, 'de-DE')
  const lines = { trait_type: 'Price EUR', value: 'a\nb' }
  await addTemplates(db, { id: 21, data: JSON.stringify({ attributes: [lines] }) })
  await openForm(page, url, 21)
  await valueField(page, 1).press('ControlOrMeta+End')
  for (const _ of 'b\n') await page.keyboard.press('Backspace')
  await page.keyboard.type('c')
  await isFocused(page, 'Value of trait 1')
  t.equal(await valueField(page, 1).inputValue(), 'ac')
  t.same(complaints, [])
})

t.test('the field changed last takes no focus from another one', needs('chromium'), async t => {
  const { url, page, complaints } = await openShop(t, 'en-US')
  const schema = Promise.withResolvers<void>()
  await page.route('**/schemas/template.json', async route => {
    await schema.promise
    await route.fallback()
  })
  await page.goto(`${url}/#/templates/1/edit`)
  await typeOver(page.getByLabel('Max items'), '7')
  await page.getByLabel('Name', { exact: true }).focus()
  await page.goto(`${url}/#/templates/2/edit`)
  await page.getByRole('heading', { name: 'Jacket 2' }).waitFor()
  await page.getByLabel('Component').focus()
  schema.resolve()
  await valueField(page, 1).waitFor()
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
  t.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset.field), 'componentName')
  t.same(complaints, [])
})

t.test('the keys of the form leave those of the browser alone', needs('chromium'), async t => {
  const { url, page, complaints } = await openShop(t, 'en-US')
  await openForm(page, url, 1)
  const pressEscape = (keyCode: number, isTaken: boolean) =>
    valueField(page, 1).evaluate(
      (field, { keyCode, isTaken }) => {
        const init = { key: 'Escape', keyCode, bubbles: true, cancelable: true }
        const event = new KeyboardEvent('keydown', init)
        if (isTaken) event.preventDefault()
        field.dispatchEvent(event)
      },
      { keyCode, isTaken }
    )
  await typeOver(valueField(page, 1), 'x')
  await pressEscape(229, false)
  await pressEscape(27, true)
  t.equal(await page.getByRole('dialog').count(), 0)
  await pressEscape(27, false)
  await page.getByRole('dialog', { name: 'Discard what you typed?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await typeOver(valueField(page, 1), 'OUT-1001')
  await valueField(page, 4).fill('many')
  t.ok(await page.getByRole('button', { name: 'Save revision 2' }).isDisabled())
  await page.keyboard.press('Control+Enter')
  await page.getByRole('alert').getByText('Nothing was saved').waitFor()
  t.equal(await problemOf(valueField(page, 4)), 'must be a number')
  await openForm(page, url, 2)
  await valueField(page, 4).fill('many')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Nothing was saved').waitFor()
  t.equal(await problemOf(valueField(page, 4)), 'must be a number')
  t.same(complaints, [])
})

/** Waits until a field of the form has the focus. */
const isFocused = (page: Page, label: string) =>
  page.waitForFunction(label => document.activeElement?.ariaLabel === label, label)

t.test('twenty products get another price by the keyboard alone', needs('chromium'), async t => {
  const { url, page, complaints, read } = await openShop(t, 'de-DE')
  await page.goto(`${url}/#/?order=id`)
  await page.locator('.template-card').first().focus()
  for (const { id } of products) {
    await page.waitForFunction(id => (document.activeElement as HTMLElement).dataset.id === String(id), id)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Jacket ${id}`, level: 1, exact: true }).waitFor()
    await page.keyboard.press('e')
    await valueField(page, 2).waitFor()
    // The first time, the user walks to the field; from then on, the form begins there.
    for (let steps = 0; id === 1 && steps < 60; steps++) {
      await page.keyboard.press('Tab')
      if (await valueField(page, 2).evaluate(field => field === document.activeElement)) break
    }
    await isFocused(page, 'Value of trait 2')
    await page.keyboard.type(`${id},5`)
    await page.keyboard.press('Enter')
    await page.getByText('Saved as revision 2.').waitFor()
    await page.keyboard.press('Escape')
    if (id === 1) t.equal((await read(1))[1], '1.5')
    await page.waitForFunction(id => (document.activeElement as HTMLElement).dataset.id === String(id), id)
    await page.keyboard.press('ArrowRight')
  }
  t.same(
    (await Promise.all(products.map(({ id }) => read(id)))).map(([, price]) => price),
    [...products.map(({ id }) => `${id}.5`)]
  )
  t.same(complaints, [])
})

t.test('the keyboard never loses its place in the form', needs('chromium'), async t => {
  const { url, page, complaints, read } = await openShop(t, 'en-US')
  await openForm(page, url, 1)
  await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset.field === 'name')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Jacket 1', level: 1, exact: true }).waitFor()
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Add a trait' }).press('Enter')
  await isFocused(page, 'Name of trait 5')
  await page.keyboard.type('Colour')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('red')
  for (let steps = 0; steps < 2; steps++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await isFocused(page, 'Name of trait 6')
  await page.getByRole('button', { name: 'Remove trait 4' }).press('Enter')
  await isFocused(page, 'Name of trait 4')
  t.equal(await page.getByLabel('Name of trait 4').inputValue(), 'Colour')
  await page.getByRole('button', { name: 'Remove trait 5' }).press('Enter')
  await page.waitForFunction(() => document.activeElement?.textContent === 'Add a trait')
  await photograph(page, 'traits-of-a-form')
  await page.keyboard.press('Escape')
  const dialog = page.getByRole('dialog', { name: 'Discard what you typed?' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByLabel('Description').fill('Warm.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Saved as revision 2.').waitFor()
  t.same(await read(1), ['OUT-1001', '19.90', '2026-03-01', 'red'])
  await openForm(page, url, 2)
  await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset.field === '/description')
  t.same(await findBarriers(page), [])
  t.same(complaints, [])
})
