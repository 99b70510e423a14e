// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: the table as a spreadsheet, with its keys, ranges, the clipboard and undo. */
import type { Page, Route } from 'playwright-core'
import { type Test, t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'
import { waitUntilSaved } from './typing.ts'

/** Not as a program would write it, so that an undo to the byte shows. */
const data = (country: string) => `{ "description": "By hand",
  "attributes": [ { "trait_type": "MadeIn",  "value": "${country}" }, { "trait_type": "Units", "value": 25 } ] }`

const cell = (page: Page, id: number, column: string) =>
  page.locator(`[data-id="${id}"] [data-column="${column}"]`)

/** Opens the table of templates that are made in Norway. */
async function openTable(
  t: Test,
  number: number,
  { locale = 'en-GB', dataOf = (_id: number) => data('Norway'), column = 'trait.MadeIn' } = {}
) {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const templates = Array.from({ length: number }, (_, id) => ({
    id,
    name: `Lamp ${id}`,
    data: dataOf(id)
  }))
  await addTemplates(db, ...templates)
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table&order=id`, {
    permissions: ['clipboard-read', 'clipboard-write'],
    locale
  })
  await logIn(page)
  await cell(page, 0, column).waitFor()
  const stored = async (id: number) =>
    (await query(url, token, `{ product(id: ${id}) { name maxItems publicProduct data revision } }`)).body
      .data.product
  const change = (id: number, input: string) =>
    query(url, token, `mutation { updateProduct(id: ${id}, input: { ${input} }) { userErrors { code } } }`)
  const status = (text: string) => page.locator('.table-status').getByText(text).waitFor()
  const isFocused = (id: number, column: string) =>
    until(async () =>
      (await cell(page, id, column).count()) === 1
        ? cell(page, id, column).evaluate(found => found === document.activeElement)
        : false
    )
  return { url, token, page, complaints, stored, change, status, isFocused }
}

const put = (page: Page, text: string) => page.evaluate(text => navigator.clipboard.writeText(text), text)
const onClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

t.test('a letter edits the focused cell, keys move on, empty and undo', needs('chromium'), async t => {
  const { page, complaints, stored, change, status, isFocused } = await openTable(t, 5)
  await cell(page, 1, 'trait.MadeIn').focus()
  await page.keyboard.type('Peru')
  t.equal(
    await page.getByLabel('Made in', { exact: true }).inputValue(),
    'Peru',
    'the letter replaces the value'
  )
  await page.keyboard.press('Escape')
  await cell(page, 1, 'trait.MadeIn').getByText('Norway').waitFor()
  await isFocused(1, 'trait.MadeIn')
  await page.keyboard.type('Chile')
  await page.keyboard.press('Enter')
  await cell(page, 1, 'trait.MadeIn').getByText('Chile').waitFor()
  await isFocused(2, 'trait.MadeIn')
  await page.keyboard.press('F2')
  await page.keyboard.press('End')
  await page.keyboard.type('!')
  await page.keyboard.press('Tab')
  await cell(page, 2, 'trait.MadeIn').getByText('Norway!').waitFor()
  await waitUntilSaved(page)
  t.match(await stored(2), { revision: 2, data: data('Norway!') })
  await cell(page, 3, 'state').focus()
  await page.keyboard.type('n')
  await page.keyboard.press('Enter')
  await cell(page, 3, 'state').getByText('Not public').waitFor()
  await waitUntilSaved(page)
  t.match(await stored(3), { publicProduct: false })

  await cell(page, 1, 'trait.MadeIn').focus()
  await page.keyboard.press('Delete')
  await cell(page, 1, 'trait.MadeIn').getByText('–').waitFor()
  await waitUntilSaved(page)
  t.notMatch((await stored(1)).data, 'MadeIn')
  await cell(page, 1, 'supply').focus()
  await page.keyboard.press('Delete')
  await status('Lamp 1: Max items must be a number')
  t.match(await stored(1), { maxItems: 10, revision: 3 })

  await page.keyboard.press('Control+z')
  await status('Undone: Made in of Lamp 1.')
  t.match(await stored(1), { data: data('Chile'), revision: 4 }, 'to the byte, as a new revision')
  await page.keyboard.press('Control+z')
  await status('Undone: Public of Lamp 3.')
  await page.keyboard.press('Control+z')
  await status('Undone: Made in of Lamp 2.')
  await change(1, 'maxItems: 77')
  await page.keyboard.press('Control+z')
  await until(async () => (await stored(1)).data === data('Norway'))
  t.match(await stored(1), { maxItems: 77 }, 'what somebody else has changed stays')
  await page.keyboard.press('Control+z')
  await status('Nothing to undo.')
  await page.keyboard.press('Control+y')
  await status('Done again: Made in of Lamp 1.')
  t.match(await stored(1), { data: data('Chile'), maxItems: 77 })
  await change(1, `data: ${JSON.stringify(data('India'))}`)
  await page.keyboard.press('Control+z')
  await status('Lamp 1: somebody else has changed the same since')
  t.match(await stored(1), { data: data('India') }, 'it is not overwritten')
  t.same(await findBarriers(page), [])
  t.same(complaints, [])
})

t.test('cells are typed faster than the service answers', needs('chromium'), async t => {
  const { page, complaints, stored, status, isFocused } = await openTable(t, 5)
  const held: Route[] = []
  let isHeld = true
  await page.route('**/graphql', route => {
    if (!isHeld || !route.request().postDataJSON().query.startsWith('mutation')) return route.continue()
    held.push(route)
    return undefined
  })
  const release = async (number: number) => {
    await until(() => held.length === number)
    await held.at(-1)?.continue()
  }
  await cell(page, 0, 'supply').focus()
  await page.keyboard.type('5\n6\n7\n')
  await isFocused(3, 'supply')
  t.equal(await cell(page, 1, 'supply').innerText(), '6')
  t.match(await stored(0), { maxItems: 10 })
  // The first cell again, and another one of the same template, while all of them wait.
  await cell(page, 0, 'supply').focus()
  await page.keyboard.type('50\n')
  await cell(page, 0, 'trait.MadeIn').focus()
  await page.keyboard.type('Peru\n')
  await page.keyboard.press('Control+z')
  await release(1)
  await release(2)
  await until(() => held.length === 3)
  // The service is not reached.
  await held[2]?.abort()
  await status('Max items of Lamp 2: The service did not answer. What you typed is kept: save again.')
  await isFocused(1, 'trait.MadeIn')
  t.equal(await cell(page, 2, 'supply').innerText(), '7')
  t.equal(await cell(page, 2, 'supply').getAttribute('aria-invalid'), 'true')
  t.same(await findBarriers(page), [])
  await photograph(page, 'not-saved')
  isHeld = false
  await release(4)
  await status('Undone: Made in of Lamp 0.')
  t.same(await Promise.all([0, 1, 2, 3].map(async id => (await stored(id)).maxItems)), [50, 6, 10, 10])
  t.match(await stored(0), { data: data('Norway') })

  await cell(page, 2, 'supply').focus()
  await page.keyboard.press('Enter')
  t.equal(await page.getByLabel('Max items', { exact: true }).inputValue(), '7')
  await page.keyboard.press('Enter')
  await status('Saved as revision 2.')
  t.match(await stored(2), { maxItems: 7 })
  t.equal(await page.getByText('Not saved.').count(), 0)
  t.match(complaints, [/ERR_FAILED/])
})

t.test('an undo takes back the cell that is being edited', needs('chromium'), async t => {
  const { page, complaints, stored, status, isFocused } = await openTable(t, 3)
  await cell(page, 0, 'supply').focus()
  await page.keyboard.type('5\n')
  await status('Saved as revision 2.')
  await isFocused(1, 'supply')
  await page.keyboard.type('6')
  await page.getByRole('button', { name: 'Undo' }).click()
  await status('Undone: Max items of Lamp 1.')
  t.same(await Promise.all([0, 1].map(async id => (await stored(id)).maxItems)), [5, 10])
  t.same(complaints, [])
})

t.test('50 cells are pasted, undone and redone', needs('chromium'), async t => {
  const { url, page, complaints, stored, status } = await openTable(t, 60)
  const before = await Promise.all(Array.from({ length: 60 }, (_, id) => stored(id)))
  // As a spreadsheet copies it: a cell with a line break has quotes.
  const countries = Array.from({ length: 25 }, (_, id) => (id === 3 ? 'Japan\n"Nippon"' : `Land ${id}`))
  const quoted = countries.map(text => (text.includes('\n') ? `"${text.replaceAll('"', '""')}"` : text))
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Units', { exact: true }).check()
  await page.keyboard.press('Escape')
  await put(
    page,
    `${quoted.map((text, id) => `${text}\t${id === 7 ? 'many' : 1000 + id}\tbeyond`).join('\r\n')}\r\n`
  )
  await cell(page, 2, 'trait.MadeIn').focus()
  await page.keyboard.press('Control+v')
  const dialog = page.getByRole('dialog', { name: 'Change 49 cells of 25 templates' })
  await dialog.getByText('Left out: 25 had no cell, 1 cell stays as it is.').waitFor()
  await dialog.getByText('Lamp 9: Units must be a number.').waitFor()
  t.match(
    await dialog.locator('li').first().innerText(),
    /^Lamp 2\nMade in: .*\nUnits: /s,
    'each on its line'
  )
  t.same(await findBarriers(page), [])
  await photograph(page, 'paste')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  t.match(await stored(2), { revision: 1 }, 'nothing is written before')
  await page.keyboard.press('Control+v')
  await dialog.getByLabel('Reason').fill('from the sheet')
  await dialog.getByRole('button', { name: 'Change 49 cells' }).click()
  await status('Changed: 49 cells.')
  await cell(page, 5, 'trait.MadeIn').getByText('Japan').waitFor()
  await photograph(page, 'pasted')
  for (const [index, country] of countries.entries()) {
    const { data: text, revision } = await stored(index + 2)
    const units = index === 7 ? 25 : 1000 + index
    t.same(text, data('Norway').replace('"Norway"', JSON.stringify(country)).replace('25 }', `${units} }`))
    t.equal(revision, 2)
  }
  await page.keyboard.press('Control+z')
  await status('Undone: 49 cells.')
  for (let id = 0; id < 60; id++) t.equal((await stored(id)).data, before[id]?.data)
  await page.keyboard.press('Control+Shift+Z')
  await status('Done again: 49 cells.')
  t.match(JSON.parse((await stored(5)).data).attributes, [{ value: 'Japan\n"Nippon"' }, { value: 1003 }])
  t.match(await stored(5), { revision: 4 })

  await page.goto(`${url}/#/bulk-changes`)
  const entries = page.locator('.bulk-change')
  await entries.nth(2).waitFor()
  t.same(
    await entries.locator('strong').allInnerTexts(),
    ['Redo: restored 25 templates', 'Undo: restored 25 templates', 'Changed 25 templates'],
    'each action is one bulk change'
  )
  await entries.nth(0).getByText('Redo of “Changed 25 templates”').waitFor()
  await entries.nth(1).getByText('Undo of “Changed 25 templates”').waitFor()
  t.same(complaints, [])
})

t.test('a range is copied, filled down and emptied, by keys and by the mouse', needs('chromium'), async t => {
  const { url, token, page, complaints, stored, change, status } = await openTable(t, 8)
  await change(0, `data: ${JSON.stringify(data('A\\n\\"B\\"'))}`)
  await cell(page, 0, 'trait.MadeIn').getByText('A "B"').waitFor()
  await cell(page, 0, 'state').focus()
  await page.keyboard.press('Shift+ArrowDown')
  for (let column = 0; column < 2; column++) await page.keyboard.press('Shift+ArrowRight')
  t.equal(await page.locator('[role=gridcell][aria-selected=true]').count(), 6)
  t.same(await findBarriers(page), [])
  await photograph(page, 'range')
  await page.keyboard.press('Control+c')
  await status('Copied: 6 cells.')
  const [first = '', second = ''] = (await onClipboard(page)).split(/\n(?=Public)/)
  t.match(first, /^Public\t2026-\S+Z\t"A\n""B"""$/)
  t.match(second, /^Public\t2026-01-02T03:04:05.678901Z\tNorway$/)

  await page.keyboard.press('Control+d')
  await status('Changed: Made in of Lamp 1. Left out: 1 cannot be edited here.')
  t.equal(JSON.parse((await stored(1)).data).attributes[0].value, 'A\n"B"')

  await cell(page, 3, 'supply').hover()
  await page.mouse.down()
  await cell(page, 6, 'supply').hover()
  await page.mouse.up()
  t.equal(await page.locator('[role=gridcell][aria-selected=true]').count(), 4)
  await put(page, '1,200')
  await page.keyboard.press('Control+v')
  await status('Changed: 4 cells.')
  t.same(await Promise.all([2, 3, 6, 7].map(async id => (await stored(id)).maxItems)), [10, 1200, 1200, 10])

  await put(page, '5\n0\n7')
  // Somebody else has deleted one that is still shown.
  await cell(page, 3, 'supply').click()
  await query(url, token, 'mutation { deleteProduct(id: 5) { userErrors { code } } }')
  await page.keyboard.press('Control+v')
  await status('Lamp 4: Max items must be a whole number from 1 to 2,147,483,647')
  t.match(await stored(3), { maxItems: 5 })
  await page.getByRole('button', { name: 'Undo' }).click()
  await status('Undone:')
  t.match(await stored(3), { maxItems: 1200 })
  t.same(complaints, [])
})

t.test('several cells that are pasted into an open editor go into the table', needs('chromium'), async t => {
  const { page, complaints, stored, status, isFocused } = await openTable(t, 4)
  await put(page, 'Peru\r\nChile\r\n')
  await cell(page, 1, 'trait.MadeIn').dblclick()
  await page.keyboard.type('Somewhere')
  await page.keyboard.press('Control+v')
  await status('Changed: 2 cells.')
  t.same(await Promise.all([0, 1, 2, 3].map(async id => (await stored(id)).data)), [
    data('Norway'),
    data('Peru'),
    data('Chile'),
    data('Norway')
  ])
  await isFocused(1, 'trait.MadeIn')

  await put(page, 'Spain\r\n')
  await cell(page, 3, 'trait.MadeIn').dblclick()
  await page.keyboard.press('Control+v')
  await page.keyboard.type('!')
  t.equal(await page.getByLabel('Made in', { exact: true }).inputValue(), 'Spain!', 'one cell stays in it')
  await page.keyboard.press('Escape')
  t.same(complaints, [])
})

t.test('what is saved is told as saved, even if it cannot be read again', needs('chromium'), async t => {
  const { page, stored, status } = await openTable(t, 2)
  await put(page, 'Peru\r\nChile\r\n')
  await cell(page, 0, 'trait.MadeIn').focus()
  let isSaved = false
  await page.route('**/graphql', async route => {
    const isMutation = route.request().postData()?.includes('mutation') ?? false
    if (isSaved && !isMutation) return route.fulfill({ status: 400, json: { errors: [{ message: 'no' }] } })
    isSaved ||= isMutation
    return route.continue()
  })
  await page.keyboard.press('Control+v')
  await status('Changed: 2 cells.')
  await page.locator('.table-status button[aria-disabled=false]').waitFor()
  t.match(await page.locator('.table-status').textContent(), 'Changed: 2 cells.')
  t.equal((await stored(1)).data, data('Chile'))
})

t.test('a problem of another trait with the same name says which one', needs('chromium'), async t => {
  const traits = ['Norway', 1.5].map(value => ({ trait_type: 'MadeIn', value }))
  const { page, stored } = await openTable(t, 1, { dataOf: () => JSON.stringify({ attributes: traits }) })
  await cell(page, 0, 'trait.MadeIn').focus()
  await page.keyboard.type('Peru\n')
  await page.getByText('The value of trait 2 MadeIn must be text').waitFor()
  t.equal((await stored(0)).revision, 1)
})

t.test('amounts and dates are typed and pasted as people write them', needs('chromium'), async t => {
  const shopData = (id: number) =>
    JSON.stringify({
      attributes: [
        { trait_type: 'MadeIn', value: 'Norway' },
        { trait_type: 'Price EUR', value: id === 0 ? 20 : `${id}.50` },
        { trait_type: 'Since', value: `2026-01-${String(id + 1).padStart(2, '0')}` },
        { trait_type: 'Code', value: `0012${id}` },
        // The service would refuse this.
        ...(id === 29 ? [{ value: 1 }] : [])
      ]
    })
  const { page, complaints, stored, status, isFocused } = await openTable(t, 30, {
    locale: 'de-DE',
    dataOf: shopData,
    column: 'trait.Price EUR'
  })
  const traits = async (id: number) =>
    JSON.parse((await stored(id)).data).attributes.map(({ value }: { value: unknown }) => value)
  await page.getByRole('button', { name: 'Columns' }).click()
  const names = ['Price EUR', 'Since', 'Code']
  for (const name of names) await page.getByLabel(name, { exact: true }).uncheck()
  // A new column comes after the last trait.
  for (const name of names) await page.getByLabel(name, { exact: true }).check()
  await page.keyboard.press('Escape')

  const editor = page.locator('.cell-editor input')
  await cell(page, 1, 'trait.Price EUR').focus()
  await page.keyboard.type('19,90 €\n1.234,50\n')
  await isFocused(3, 'trait.Price EUR')
  await cell(page, 1, 'trait.Price EUR').getByText('19,90').waitFor()
  await cell(page, 2, 'trait.Price EUR').getByText('1.234,50').waitFor()
  await page.keyboard.type('1O,50\n')
  await page.getByRole('alert').getByText('must be a number, but has the letter O').waitFor()
  t.equal(await editor.inputValue(), '1O,50', 'what was typed stays')
  t.equal(await editor.getAttribute('aria-invalid'), 'true')
  await status('Not saved: Price EUR of Lamp 3 must be a number, but has the letter O.')
  await page.setViewportSize({ width: 700, height: 900 })
  const frame = page.locator('.table-frame')
  await frame.evaluate(element => element.scrollTo(300, 0))
  await page.locator('.cell-problem').waitFor({ state: 'hidden' })
  await frame.evaluate(element => element.scrollTo(0, 0))
  await page.locator('.cell-problem').waitFor()
  await page.setViewportSize({ width: 1360, height: 900 })
  t.same(await findBarriers(page), [])
  await photograph(page, 'no-number')
  await page.keyboard.press('Escape')
  await page.locator('.table-status').getByText('Not saved').waitFor({ state: 'detached' })
  await cell(page, 0, 'trait.Price EUR').focus()
  await page.keyboard.type('21\n')
  await cell(page, 1, 'trait.Since').focus()
  await page.keyboard.type('31.02.2026\n')
  await page.getByRole('alert').getByText('is a day that does not exist').waitFor()
  t.equal(await editor.inputValue(), '31.02.2026')
  await editor.fill('31.12.2026')
  await page.keyboard.press('Enter')
  await cell(page, 1, 'trait.Code').focus()
  await page.keyboard.type('00007\n1e3\n')
  await waitUntilSaved(page)
  t.same(await traits(0), ['Norway', 21, '2026-01-01', '00120'], 'a whole number stays one')
  t.same(await traits(1), ['Norway', '19.90', '2026-12-31', '00007'])
  t.same(await traits(2), ['Norway', '1234.50', '2026-01-03', '1e3'], 'a column of codes takes any text')
  t.same((await stored(3)).data, shopData(3))

  await cell(page, 2, 'trait.Price EUR').focus()
  await page.keyboard.press('F2')
  t.equal(await editor.inputValue(), '1234,50', 'as the language of the browser writes it')
  await page.keyboard.press('Enter')
  await cell(page, 2, 'trait.Price EUR').focus()
  await page.keyboard.press('Control+c')
  await status('Copied: 1 cells.')
  t.equal(await onClipboard(page), '1234,50')

  // The cell with two decimals shows that the point is one of decimals here.
  await put(page, '1.234\t03/04/2026\n2.50\t31/12/2026\nsoon\t31.02.2026\n\u200e3\u00a0000.25\t1.2.2027')
  await cell(page, 3, 'trait.Price EUR').focus()
  await page.keyboard.press('Control+v')
  await status('Lamp 5: Price EUR must be a number.')
  await status('Lamp 5: Since is a day that does not exist.')
  const values = async (id: number) => (await traits(id)).slice(1, 3)
  t.same(await Promise.all([3, 4, 5, 6].map(values)), [
    ['1.234', '2026-04-03'],
    ['2.50', '2026-12-31'],
    ['5.50', '2026-01-06'],
    ['3000.25', '2027-02-01']
  ])
  await page.getByRole('button', { name: 'Undo' }).click()
  await status('Undone: 6 cells.')
  t.same(await values(3), ['3.50', '2026-01-04'])
  await page.getByRole('button', { name: 'Redo' }).click()
  await status('Done again: 6 cells.')
  t.same(await values(3), ['1.234', '2026-04-03'])
  t.ok(await page.getByRole('button', { name: 'Redo' }).evaluate(found => found === document.activeElement))

  await put(page, Array.from({ length: 22 }, (_, at) => (at === 4 ? 'soon' : `${at},95 €`)).join('\n'))
  await cell(page, 7, 'trait.Price EUR').focus()
  await page.keyboard.press('Control+v')
  const dialog = page.getByRole('dialog', { name: 'Change 21 cells of 21 templates' })
  await dialog.getByText('Lamp 11: Price EUR must be a number.').waitFor()
  await dialog.getByText('Price EUR: 7,50 EUR becomes 0,95 EUR').waitFor()
  t.same(await findBarriers(page), [])
  await dialog.getByRole('button', { name: 'Change 21 cells' }).click()
  await status('Changed: 21 cells.')
  // It closes when the list has been read again.
  await dialog.waitFor({ state: 'hidden' })
  t.same(await Promise.all([7, 11, 28].map(async id => (await traits(id))[1])), ['0.95', '11.50', '21.95'])

  await cell(page, 7, 'trait.Price EUR').focus()
  await page.keyboard.press('F2')
  await editor.fill('')
  await page.keyboard.press('Enter')
  await waitUntilSaved(page)
  t.same(await traits(7), ['Norway', '2026-01-08', '00127'], 'an empty cell has no trait')

  await cell(page, 8, 'trait.Code').focus()
  await page.keyboard.press('End')
  await isFocused(29, 'trait.Code')
  await put(page, 'X-1')
  await page.keyboard.press('Control+v')
  await status('Lamp 29: Trait 5 needs a name.')
  await page.keyboard.type('X-2\n')
  await status('Code of Lamp 29: Trait 5 needs a name.')
  t.same(complaints, [])
})
