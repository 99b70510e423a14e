// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer by the keyboard alone, in a real browser: the focus is always visible, and goes on where the user is. */
import type { Page } from 'playwright-core'
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { openAs } from './administer.ts'

/** The text of the element with the focus; empty if nobody sees that it has it. */
const focused = (page: Page) =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
    const element = document.activeElement as HTMLElement
    const { left, top, bottom } = element.getBoundingClientRect()
    const { outlineStyle } = getComputedStyle(element)
    const isCovered = !element.contains(document.elementFromPoint(left + 5, (top + bottom) / 2))
    if (element === document.body || outlineStyle === 'none' || isCovered) return ''
    return element.ariaLabel ?? element.innerText
  })

/** Waits until the element with the focus has a text. */
const reach = (page: Page, text: RegExp | string) =>
  until(async () => {
    const found = await focused(page)
    return typeof text === 'string' ? found === text : text.test(found)
  })

/** Presses a key until the element with the focus has a text. */
async function walk(page: Page, key: string, text: RegExp): Promise<void> {
  for (let steps = 0; steps < 40; steps++) {
    await page.keyboard.press(key)
    if (text.test(await focused(page))) return
  }
  throw new Error(`no ${text} by ${key}`)
}

t.test('deleted templates are restored, and it is undone', needs('chromium'), async t => {
  const { db, url, page, complaints, go } = await openAs(t)
  await addTemplates(db, ...['Bed', 'Chair', 'Desk'].map((name, at) => ({ id: at + 2, name })))
  const token = await accessToken(url)
  await query(url, token, 'mutation { deleteProducts(where: {}) { userErrors { code } } }')
  await go('#/deleted')
  await page.getByRole('link', { name: 'Chair' }).waitFor()
  await walk(page, 'Tab', /^Restore\s+Desk/)
  await page.keyboard.press('Enter')
  await reach(page, 'Restore')
  await page.keyboard.press('Enter')
  await reach(page, /^Desk.*Restored$/s)
  await walk(page, 'Tab', /^Choose Chair/)
  await page.keyboard.press('Space')
  await walk(page, 'Shift+Tab', /^Restore 1 template/)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await reach(page, 'Restore 0 templates')

  await go('#/templates/2')
  await walk(page, 'Tab', /^Restore revision 1/)
  await page.keyboard.press('Enter')
  await reach(page, 'Restore')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Bed', level: 1 }).waitFor()
  await reach(page, /^Bed/)

  await go('#/bulk-changes')
  await page.getByText('Restored 1 template').first().waitFor()
  await walk(page, 'Tab', /^Undo\s+Restored 1 template/)
  await page.keyboard.press('Enter')
  await reach(page, 'Undo 1 change')
  await page.keyboard.press('Enter')
  await page.getByText('Undone: 1 template was deleted.').waitFor()
  await reach(page, /^Undo\s+Restored 1 template/)
  t.same(complaints, [])
})

t.test('cells are edited, and the table is left', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t)
  await addTemplates(db, ...Array.from({ length: 30 }, (_, at) => ({ id: at + 2, name: `Bed ${at + 2}` })))
  await go('#/?layout=table&order=id')
  await page.locator('.table [data-id]').first().waitFor()
  await page.keyboard.press('Escape')
  await walk(page, 'Tab', /^Skip to the templates/)
  await page.keyboard.press('Enter')
  await reach(page, /^Lamp/)
  await page.keyboard.press('Escape')
  await reach(page, /^Arrow keys move/)
  await page.keyboard.press('Shift+Tab')
  await reach(page, 'New template')
  await walk(page, 'Tab', /^Lamp/)
  await page.keyboard.type('Lantern')
  await page.keyboard.press('Enter')
  await reach(page, /^Bed 2/)
  await page.keyboard.press('F2')
  await page.keyboard.press('Escape')
  await reach(page, /^Bed 2/)
  await page.locator('.table-status').getByText('Saved as revision 2.').waitFor()
  await page.keyboard.press('Escape')
  await reach(page, 'Last change')
  await page.keyboard.press('Tab')
  await reach(page, 'Undo')
  await page.keyboard.press('Enter')
  await page.locator('.table-status').getByText('Undone: Name of Lamp').waitFor()
  await reach(page, 'Undo')
  await page.keyboard.press('Shift+Tab')
  await reach(page, /^Bed 2/)
  await page.keyboard.press('Control+Shift+z')
  await page.locator('.table-status').getByText('Done again: Name of Lamp').waitFor()
  for (let row = 3; row < 20; row++) {
    await page.keyboard.press('ArrowDown')
    await reach(page, RegExp(`^Bed ${row}\\b`))
  }
  await page.keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Escape')
  await walk(page, 'Tab', /^Done$/)
  await page.keyboard.press('Enter')
  await reach(page, /^Bed 19/)
  t.same(complaints, [])
})

t.test('many templates are selected and changed, and a filter is removed', needs('chromium'), async t => {
  const { page, complaints, go } = await openAs(t)
  await go('#/?public=yes')
  await page.getByRole('link', { name: /Lamp/ }).waitFor()
  await walk(page, 'Tab', /^Select$/)
  await page.keyboard.press('Enter')
  await reach(page, 'Lamp')
  await page.keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Escape')
  await reach(page, /^Selected templates$/)
  await walk(page, 'Tab', /^Change…$/)
  await page.keyboard.press('Enter')
  await walk(page, 'Tab', /^Trait of change 1$/)
  await page.keyboard.type('Colour')
  await walk(page, 'Tab', /^Value of change 1$/)
  await page.keyboard.type('red')
  await page.keyboard.press('Enter')
  await page.getByText('Changed 1 template.').waitFor()
  await reach(page, /^Selected templates$/)
  await page.keyboard.press('Tab')
  await reach(page, 'Undo')
  await page.keyboard.press('Enter')
  await page.getByText('1 template has its former values again.').waitFor()
  await reach(page, /^Selected templates$/)
  await walk(page, 'Tab', /^Done$/)
  await page.keyboard.press('Enter')
  await reach(page, /^Lamp/)
  await walk(page, 'Shift+Tab', /^Public\s*✕/)
  await page.keyboard.press('Enter')
  await reach(page, /^Templates\n/)
  t.same(complaints, [])
})

t.test('keys of an input method stay in the search', needs('chromium'), async t => {
  const { page, complaints, go } = await openAs(t)
  await go('#/')
  await page.getByRole('link', { name: /Lamp/ }).waitFor()
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox')
  await search.evaluate((field, options) => field.dispatchEvent(new KeyboardEvent('keydown', options)), {
    ...{ key: 'ArrowDown', isComposing: true, bubbles: true }
  })
  t.ok(await search.evaluate(field => field === document.activeElement), 'the keys choose among its words')
  await page.keyboard.press('ArrowDown')
  await reach(page, /^Lamp/)
  t.same(complaints, [])
})
