// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** Numbers typed key by key in a real browser: the stored number is the typed one, or the field says why not. */
import type { Page } from 'playwright-core'
import { type Test, t } from 'tap'
import fc from '../support/generated/fast-check.ts'
import { seed } from '../support/generated/seed.ts'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'
import { problemOf, typeOver, waitUntilSaved } from './typing.ts'

const oneTrait = '{ "attributes": [ { "trait_type": "Weight", "value": 7 } ] }'

const read = async (url: string, token: string) =>
  (await query(url, token, '{ product(id: 7) { maxItems blockchainId data revision } }')).body.data.product

/** The token of the value in the document, such as `1.05`: what is stored, before anybody parses it. */
const storedWeight = async (url: string, token: string): Promise<string> =>
  (await read(url, token)).data.match(/"value": ?(.*?) ?\}/)[1]

async function openStore(t: Test, locale = 'en-US', data = oneTrait) {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, validation: 'warn' })
  await addTemplates(db, { id: 7, name: 'Lamp', data })
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/`, { locale })
  await logIn(page)
  return { url, token, page, complaints }
}

const openForm = async (page: Page, url: string) => {
  await page.goto(`${url}/#/`)
  await page.goto(`${url}/#/templates/7/edit`)
  // The form focuses its first field, which must not happen while the test types.
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-field') === 'name')
  await page.getByLabel('Value of trait 1', { exact: true }).waitFor()
}

t.test('any decimal that is typed in the form is stored as typed', needs('chromium'), async t => {
  const part = fc.stringMatching(/^\d{1,7}$/)
  const random = fc.sample(fc.tuple(fc.constantFrom('', '-', '\u2212'), part, part), { seed, numRuns: 12 })
  const typed = [
    ...['1.05', '0.05', '1.005', '-0.5', '12.3', '0.10', '100', '-7', '1.', '.5'],
    ...random.map(([sign, whole, decimals]) => `${sign}${whole}.${decimals}`)
  ]
  const attributes = typed.map((_, at) => ({ trait_type: `Weight ${at}`, value: 7 }))
  for (const [locale, decimal] of [
    ['en-US', '.'],
    ['de-DE', ',']
  ] as const) {
    const { url, token, page, complaints } = await openStore(t, locale, JSON.stringify({ attributes }))
    await openForm(page, url)
    for (const [at, text] of typed.entries())
      await typeOver(page.getByLabel(`Value of trait ${at + 1}`, { exact: true }), text.replace('.', decimal))
    await page.keyboard.press('Enter')
    await page.getByText('Saved as revision 2.').waitFor()
    const { attributes: stored } = JSON.parse((await read(url, token)).data)
    t.same(
      stored.map(({ value }: { value: unknown }) => value),
      typed.map(text => Number(text.replace('\u2212', '-')) + 0)
    )
    t.same(complaints, [])
  }
})

t.test('a number field of each kind keeps what is typed', needs('chromium'), async t => {
  const { url, token, page, complaints } = await openStore(t)
  await openForm(page, url)
  const [weight, items, chain] = [
    page.getByLabel('Value of trait 1'),
    page.getByLabel('Max items'),
    page.getByLabel('Blockchain')
  ]
  const save = page.getByRole('button', { name: /^Save/ })
  for (const [text, problem] of [
    ['12x', 'must be a number'],
    ['', 'must be a number'],
    ['1e400', 'is too large'],
    ['9007199254740993', 'has more digits than a number can keep']
  ] as const) {
    await typeOver(weight, text)
    await items.focus()
    t.equal(await weight.inputValue(), text, 'the text is kept')
    t.equal(await problemOf(weight), problem)
  }
  t.same(await findBarriers(page), [])
  await photograph(page, 'number-problem')
  await page.getByLabel('Kind of trait 1').selectOption('Text')
  t.equal(await weight.inputValue(), '9007199254740993', 'as text, all of it is kept')
  await page.getByLabel('Kind of trait 1').selectOption('Number')
  await typeOver(items, '1,250')
  await typeOver(weight, '5e')
  t.equal(await problemOf(weight), '', 'nothing is said while one types')
  // The problem moves the button while it is clicked.
  await save.click()
  await page.getByRole('alert').getByText('Nothing was saved').waitFor()
  t.equal((await read(url, token)).revision, 1)
  t.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Value of trait 1')
  await typeOver(chain, '')
  await typeOver(weight, '1e3')
  await items.focus()
  t.equal(await weight.inputValue(), '1000')
  t.match(await problemOf(chain), /must be a number$/, 'an empty field is not zero')
  await typeOver(chain, '-5')
  await save.click()
  await page.getByText('Saved as revision 2.').waitFor()
  t.match(await read(url, token), { maxItems: 1250, blockchainId: -5, data: oneTrait.replace('7', '1000') })

  await page.goto(`${url}/#/?layout=table`)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Weight').check()
  await page.keyboard.press('Escape')
  const cell = page.locator('[data-id="7"] [data-column="trait.Weight"]')
  await cell.dblclick()
  await typeOver(cell.locator('input'), '-0.25')
  await page.keyboard.press('Enter')
  await cell.getByText('-0.25').waitFor()
  await waitUntilSaved(page)
  t.equal(await storedWeight(url, token), '-0.25')
  await cell.dblclick()
  await typeOver(cell.locator('input'), '5-')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('must be a number').waitFor()
  t.equal(await cell.locator('input').inputValue(), '5-')
  await page.keyboard.press('Escape')
  t.equal(await storedWeight(url, token), '-0.25')
  await page.setViewportSize({ width: 360, height: 640 })
  const supply = page.locator('[data-id="7"] [data-column=supply]')
  await supply.dblclick()
  await typeOver(supply.locator('input'), '1.5')
  await page.keyboard.press('Enter')
  const { x = 0, width = 0 } = (await page.getByRole('alert').getByText('whole').boundingBox()) ?? {}
  t.ok(x > 0 && x + width <= 360, 'a narrow screen shows all of the problem')
  t.same(complaints, [])
})

t.test('many templates get the number that is typed, or none', needs('chromium'), async t => {
  const { url, token, page, complaints } = await openStore(t)
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Lamp' }).click()
  await page.getByRole('button', { name: 'Change…' }).click()
  await page.getByLabel('Trait of change 1').fill('Weight')
  await page.getByLabel('Kind of change 1').selectOption('Number')
  const value = page.getByLabel('Value of change 1')
  const change = page.getByRole('button', { name: 'Change 1 template' })
  for (const [text, problem] of [
    ['-', 'must be a number'],
    ['12.3', 'must be a whole number; choose Text to keep the decimals']
  ] as const) {
    await typeOver(value, text)
    t.equal(await value.inputValue(), text)
    await change.click()
    await page.getByRole('alert').getByText('Correct or confirm the value.').waitFor()
    t.equal(await problemOf(value), problem)
  }
  await photograph(page, 'number-problem-many')
  await page.getByLabel('Kind of change 1').selectOption('Text')
  t.equal(await value.inputValue(), '12.3')
  await page.getByLabel('Kind of change 1').selectOption('Number')
  await typeOver(value, '-20')
  await page.getByRole('button', { name: 'Add another change' }).click()
  await page.getByLabel('What change 2 is about').selectOption('Max items')
  await typeOver(page.getByLabel('Value of change 2'), '0')
  await change.click()
  t.equal(
    await problemOf(page.getByLabel('Value of change 2')),
    'must be a whole number from 1 to 2,147,483,647'
  )
  t.equal((await read(url, token)).revision, 1)
  await typeOver(page.getByLabel('Value of change 2'), '2,000')
  await typeOver(page.getByLabel('Trait of change 1'), 'weight')
  await change.click()
  await page.getByText('Changed 1 template.').waitFor()
  t.match(await read(url, token), { revision: 2, maxItems: 2000, data: oneTrait.replace('7', '-20') })
  t.same(complaints, [])
})

t.test('the bounds of a filter are numbers', needs('chromium'), async t => {
  const { page, complaints } = await openStore(t, 'de-DE')
  await page.locator('.facets').getByText('On the chain').click()
  const bound = page.getByLabel('Max items, to')
  await typeOver(bound, '12,5')
  await page.keyboard.press('Enter')
  t.equal(await problemOf(bound), 'must be a whole number from 0 to 2.147.483.647')
  await typeOver(bound, '1.000')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'at most 1.000' }).click()
  await page.getByRole('link', { name: 'at most 1.000' }).waitFor({ state: 'detached' })
  t.equal(await bound.inputValue(), '')
  t.same(complaints, [])
})
