// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** What the preview of an import says about rows, before anything is written. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { type Test, t } from 'tap'
import { columns } from '../../../../domain/columns.ts'
import {
  buildExplorer,
  findBarriers,
  launch,
  logIn,
  openPage,
  photograph
} from '../../../../test/explorer/browse.ts'
import { accessToken, query } from '../../../../test/support/http/http.ts'
import { needs } from '../../../../test/support/programs.ts'
import { service } from '../../../../test/support/service/service.ts'
import { findOdd } from '../../explorer/rows/odd.ts'
import { guessMapping } from '../../tables/guess.ts'
import { dropFile } from './drop.ts'

/** What looks odd in a table with a header, each row as `line column: message`. */
function listOdd(names: string[], ...rows: string[][]): string[] {
  const cells = rows.map((cells, index) => ({ cells, line: index + 2 }))
  const mapping = { ...guessMapping(names, cells, []), key: null }
  const found = findOdd({ names, header: { cells: names, line: 1 }, rows: cells }, mapping)
  return [...found].flatMap(([line, odd]) =>
    odd.map(({ column, message }) => `${line} ${column}: ${message}`)
  )
}

t.test('rows that look odd', async t => {
  t.same(listOdd(['Height'], ['1'], ['-2'], ['3'], ['4,5']), ['3 Height: is negative'])
  t.same(listOdd(['Height'], ['-1'], ['-2'], ['3'], ['4']), [], 'as many are')
  t.same(listOdd(['Height'], ['-1'], ['2']), [], 'too few to tell')
  t.same(listOdd(['Price'], ['-1'], ['-2']), ['2 Price: is negative', '3 Price: is negative'])
  t.same(listOdd(['Fee'], ['€ 5'], ["'-€ 5,00"], ['6 €']), ['3 Fee: is negative'])
  t.same(listOdd(['SKU'], ['1'], ['2'], ['1 '], ['1']), [
    '2 SKU: row 4 has the same',
    '4 SKU: row 2 has the same',
    '5 SKU: row 2 has the same'
  ])
  const links = ['https://example.com/1.png', 'ipfs://bafyone', '{ipfs_url}/bafytwo']
  t.same(listOdd(['Photo'], ...links.map(link => [link]), [''], ['lamp.png']), [
    '6 Photo: is not a link, unlike most others'
  ])
  t.same(listOdd(['EAN'], ['4,00638E+12'], ['4006381333931']), ['2 EAN: has lost digits in a spreadsheet'])
  t.same(listOdd(['Since'], ['2026-05-02'], ['46145'], ['2026-05-04']), [
    '3 Since: is not a date, unlike most others'
  ])
  t.same(listOdd(['Text'], ['see: it'], ['https://example.com'], ['a']), [], 'most are texts')
})

t.test('cells of an edited export that look odd', async t => {
  const productIds = ['A', '""', '""', 'B', 'A']
  t.same(listOdd(['document.productId'], ...productIds.map(id => [id])), [
    '2 document.productId: row 6 has the same',
    '6 document.productId: row 2 has the same'
  ])
  const odd = (header: string, ...cells: string[]) => listOdd([header], ...cells.map(cell => [cell]))
  const stored = ['19.90', '1250.00', '"20"', '1.240', '']
  t.same(odd('trait:Preis (EUR)', ...stored, '1.240,50', '1240,50 €', '5 $'), [
    '7 trait:Preis (EUR): is not written like most others: write 1240.50',
    '8 trait:Preis (EUR): is not written like most others: write 1240.50',
    '9 trait:Preis (EUR): must be in EUR, as the name of the trait says, but is in $'
  ])
  t.same(odd('trait:Preis', '19,90', '5,50', '"20"', '7.50'), [], 'most are stored like this')
  t.same(odd('trait:Weight (kg)', '1.2', '2.50', '0.5', '1,2 kg', '500 g'), [
    '5 trait:Weight (kg): is not written like most others: write 1.2',
    '6 trait:Weight (kg): must be in kg, as the name of the trait says, but is in g'
  ])
  t.same(odd('trait:Weight (g)', ...Array.from({ length: 10 }, (_, at) => String(at)), '500 g'), [
    '12 trait:Weight (g): is not written like most others: write 500'
  ])
  const days = ['2026-01-31', '2026-02-28', '2026-03-04', '2026-03-05']
  t.same(odd('trait:Since', ...days, '15.08.2026', '03/04/2026', '31.02.2026'), [
    '6 trait:Since: is not written like most others: write 2026-08-15',
    '7 trait:Since: is not written like most others: write 2026-04-03 or 2026-03-04',
    '8 trait:Since: is a day that does not exist'
  ])
  t.same(odd('trait:Stock', '1', '2', '30'), [], 'whole numbers')
})

async function openImport(
  t: Test,
  browser = launch(t)
): Promise<{ url: string; page: Page; complaints: string[] }> {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const opened = await openPage(await browser, `${url}/#/import`)
  await logIn(opened.page)
  return { url, ...opened }
}

/** Returns the name and the text of the saved file. */
async function saveCorrected(page: Page): Promise<string[]> {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the corrected rows' }).click()
  const file = await saving
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')]
}

const lines = ['Title;Price;Photo', 'Lamp;5;https://example.com/1.png', 'Chair;-6;https://example.com/2.png']
const table = [...lines, 'Table;7;https://example.com/3.png', 'Sofa;8;soon', ';9;'].join('\n')

t.test(
  'the preview counts and shows what looks odd, and imports it all the same',
  needs('chromium'),
  async t => {
    const { page, complaints } = await openImport(t)
    await dropFile(page, 'odd.csv', table)
    await page.getByRole('button', { name: '2 to check' }).click()
    t.match(
      await page.locator('.rows tbody').innerText(),
      /new\s+Price: is negative(.|\n)*Photo: is not a link/
    )
    t.equal(await page.locator('.rows tbody tr').count(), 2)
    t.same(await findBarriers(page), [])
    await photograph(page, 'import-odd')
    await page.getByLabel('Photo of row 5').fill('https://example.com/4.png')
    await page.getByLabel('Photo of row 5').press('Enter')
    await page.getByRole('button', { name: '1 to check' }).waitFor()
    const corrected = table.replace('soon', 'https://example.com/4.png').replaceAll('\n', '\r\n')
    t.same(await saveCorrected(page), ['odd-corrected.csv', `\uFEFF${corrected.replaceAll(';', ',')}\r\n`])
    await page.getByText('1 row looks odd, but').waitFor()
    await page.getByText('The new templates will not be public.').waitFor()
    await page.getByLabel('Skip the 1 wrong row').check()
    await page.getByRole('button', { name: 'Import 4 rows' }).click()
    await page.getByText('4 templates created').waitFor()
    t.match(await saveCorrected(page), ['odd-corrected.csv', 'https://example.com/4.png'])
    await page.getByText('0 public, 4 not public').waitFor()
    await photograph(page, 'imported')
    await page.getByRole('link', { name: 'show those that are not public' }).click()
    await page.locator('a.pill', { hasText: 'Not public' }).waitFor()
    t.same(complaints, [])
  }
)

t.test('problems of a record and refusals of the service are in plain words', needs('chromium'), async t => {
  const { page, url, complaints } = await openImport(t)
  const record = { name: 'Lamp', blockchainId: 1, maxItems: 1 }
  const wrong = { ...record, maxItems: 0, data: '{"attributes":[{"value":1}]}' }
  const lines = ['nothing', JSON.stringify(wrong), '[]']
  await dropFile(page, 'wrong.ndjson', lines.join('\n'))
  await page.locator('tr.wrong').nth(2).waitFor()
  t.same(await page.locator('.what').allInnerTexts(), [
    'The line is not JSON',
    'Max items must be a whole number from 1 to 2,147,483,647; Trait 1 needs a name',
    'A template must be an object'
  ])
  const token = await accessToken(url)
  const send = (text: string) => query(url, token, `mutation { ${text} { userErrors { code } } }`)
  await send('createProduct(input: { id: 7, name: "Lamp", blockchainId: 1, maxItems: 1, data: "{}" })')
  await dropFile(page, 'lamp.ndjson', JSON.stringify({ ...record, id: 7, name: 'Red lamp', data: '{}' }))
  await page.getByRole('button', { name: '1 changed' }).waitFor()
  // Somebody else changes it while the request is on its way.
  await page.route('**/graphql', async route => {
    if (route.request().postDataJSON().query.startsWith('mutation'))
      await send('updateProduct(id: 7, input: { name: "Blue lamp" })')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Change 1 template' }).click()
  await page.getByText('Row 1: The template was changed: its revision is 2. Nothing was imported.').waitFor()
  t.same(complaints, [])
})

t.test('a row stays in its place while it is corrected', needs('chromium'), async t => {
  const { page, complaints } = await openImport(t)
  const rows = Array.from({ length: 60 }, (_, index) => `Lamp ${index};${index < 3 ? 'x' : 1};${index}`)
  await dropFile(page, 'lamps.csv', ['Title;Stock;Height', ...rows].join('\n'))
  const stock = page.getByLabel('What Stock becomes')
  await stock.selectOption('Max items')
  const fields = Object.values(columns).filter(({ type }) => type !== 'time' && type !== 'document')
  t.same(
    await stock.locator('optgroup[label=Template] option').allTextContents(),
    fields.map(({ label }) => label)
  )
  await page.getByRole('button', { name: '3 to correct' }).waitFor()
  const places = () => page.locator('.rows tbody .number').allInnerTexts()
  const before = await places()
  const cell = page.getByLabel('Stock of row 3')
  // Otherwise, the field scrolls into view when it is filled.
  await cell.scrollIntoViewIfNeeded()
  const top = (await cell.boundingBox())?.y
  await cell.fill('7')
  await cell.press('Enter')
  await page.getByRole('button', { name: '2 to correct' }).waitFor()
  t.same(await places(), before)
  t.equal((await cell.boundingBox())?.y, top)
  t.ok(await cell.evaluate(field => field === document.activeElement), 'one goes on from here')
  t.match(await page.locator('tr', { has: cell }).getAttribute('class'), 'new')
  await page.getByLabel('Stock of row 4').fill('8')
  await page.getByLabel('Stock of row 4').press('Tab')
  await page.getByRole('button', { name: '1 to correct' }).waitFor()
  t.same(await places(), before)
  await page.getByRole('button', { name: '1 to correct' }).click()
  t.same(await places(), ['2'])
  await page.getByRole('button', { name: '59 new' }).click()
  t.same((await places()).slice(0, 3), ['3', '4', '5'])
  t.equal(await cell.count(), 0, 'it is corrected')
  t.same(complaints, [])
})
