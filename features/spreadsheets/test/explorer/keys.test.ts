// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The table of a shop on the page: found again by its own numbers, with prices and dates in its notation. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { type Test, t } from 'tap'
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
import { products, toGermanCsv, toWorkbook, wrongRows } from '../shop.ts'
import { makeParts, zip } from '../tables/xlsx/workbook.ts'
import { dropFile } from './drop.ts'

async function openImport(t: Test) {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const options = { locale: 'de-DE', acceptDownloads: true }
  const opened = await openPage(await launch(t), `${url}/#/import`, options)
  await logIn(opened.page)
  return { url, ...opened }
}

const key = (page: Page) => page.getByLabel('A row is the same product if it has the same')
const counts = (page: Page) => page.locator('.counts')

t.test('a table of a shop is imported, and found again by its numbers', needs('chromium'), async t => {
  const { url, page, complaints } = await openImport(t)
  const token = await accessToken(url)
  await page.goto(`${url}/#/`)
  await page.getByText('There are no templates yet').waitFor()
  t.same(await page.locator('.button.primary').allInnerTexts(), ['Import'], 'what a new shop needs')
  await page.locator('.button.primary').click()
  await dropFile(page, 'artikel.csv', toGermanCsv())
  await page.getByRole('button', { name: '3 to correct' }).waitFor()
  t.equal(await key(page).inputValue(), 'trait:Artikelnummer')
  const choices = await key(page).locator('option').allTextContents()
  t.same(choices, ['Artikelnummer', 'Bezeichnung', 'nothing: each row is new'])
  t.equal(await page.getByLabel('What Preis becomes').inputValue(), 'trait:Preis (EUR)')
  t.equal(await page.getByLabel('Kind of Preis').inputValue(), 'money')
  t.equal(await page.getByLabel('Notation of Preis').inputValue(), '1.234,5')
  t.equal(await page.getByLabel('What Lagerbestand becomes').inputValue(), 'trait:Lagerbestand')
  const wrong = await page.locator('tr.wrong').allInnerTexts()
  t.match(wrong, [
    /Artikelnummer: OUT-1001 is in row 3, too/,
    /Artikelnummer: needs a value, because it is the key/,
    /Eingeführt: is a day that does not exist/
  ])
  await page.getByLabel(`Artikelnummer of row ${wrongRows.empty}`).waitFor()
  t.match(
    await page.locator('tr', { hasText: `row ${wrongRows.twice} has the same` }).innerText(),
    /^3\s+new/
  )
  t.same(await findBarriers(page), [])
  await photograph(page, 'import-shop')
  await page.setViewportSize({ width: 360, height: 740 })
  await photograph(page, 'import-shop-360')
  t.ok(
    await page.locator('.mapping').evaluate(box => box.scrollHeight <= box.clientHeight),
    'all is in sight'
  )
  const isInSight = (field: Element) => field.getBoundingClientRect().right <= innerWidth
  for (const field of await page.locator('.rows .cell-field').all()) t.ok(await field.evaluate(isInSight))
  await page.getByText('3 rows need to be corrected.').waitFor()
  await page.getByRole('button', { name: 'Show them' }).click()
  const wrongCell = page.getByLabel(`Artikelnummer of row ${wrongRows.twice}`)
  t.ok(await wrongCell.evaluate(field => field === document.activeElement), 'the first wrong cell')
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.getByLabel('Skip the 3 wrong rows').check()
  await photograph(page, 'import-shop-rows')
  await page.getByRole('button', { name: 'Import 117 rows' }).click()
  await page.getByText('117 templates created, 0 changed, 3 rows skipped').waitFor()
  t.same(await findBarriers(page), [])

  await photograph(page, 'imported-shop')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the skipped rows' }).click()
  const file = await download
  t.equal(file.suggestedFilename(), 'artikel-skipped.csv')
  const skipped = await readFile(await file.path(), 'utf8')
  t.match(skipped, /Foto,Why this row was skipped\r\n/)
  t.equal(skipped.trim().split('\r\n').length, 4)
  t.match(skipped, /,"?31\.02\.2026"?,.*Eingeführt: is a day that does not exist/)

  const search = `{ products(
    where: { trait: { type: "Preis (EUR)", gte: 1000, lt: 1300 } }
    first: 3
    orderBy: { trait: "Preis (EUR)", direction: DESC }
  ) { totalCount nodes { name } } }`
  const { totalCount, nodes } = (await query(url, token, search)).body.data.products
  const isFound = ({ price }: { price: number }) => price >= 100_000 && price < 130_000
  const found = products.filter(
    (product, at) => isFound(product) && !Object.values(wrongRows).includes(at + 2)
  )
  t.equal(totalCount, found.length)
  const dearest = found.toSorted((one, other) => other.price - one.price).slice(0, 3)
  t.same(
    nodes.map(({ name }: { name: string }) => name),
    dearest.map(({ name }) => name)
  )

  await dropFile(page, 'artikel.xlsx', await toWorkbook())
  await page.getByRole('button', { name: '117 unchanged' }).waitFor()
  t.match(await counts(page).textContent(), /3 to correct.*0 changed0 new117 unchanged/)
  t.notMatch((await page.locator('.rows tr.wrong').allInnerTexts()).join(), /Id is in/, 'the file has no id')
  t.equal(await key(page).inputValue(), 'trait:Artikelnummer', 'the key is remembered')

  const rename =
    'mutation { updateProducts(where: { trait: { type: "Artikelnummer", equals: "OUT-1002" } }, change: { name: "Ein langer Name, der mehr Platz braucht, als die Zelle hat" }) { count } }'
  t.equal((await query(url, token, rename)).body.data.updateProducts.count, 1)
  await dropFile(page, 'artikel.csv', toGermanCsv())
  await page.getByRole('button', { name: '1 changed' }).click()
  t.match(await page.locator('tr.changed').innerText(), /Ein langer Name.* Bergsee Zelt 2/s)
  const isInside = await page.locator('tr.changed ins').evaluate(text => {
    const [{ right }, cell] = [text.getBoundingClientRect(), text.closest('td')?.getBoundingClientRect()]
    return cell !== undefined && right <= cell.right
  })
  t.ok(isInside, 'the new name is visible')

  const corrected = skipped
    .replace('31.02.2026', '28.02.2026')
    .replace(/^OUT-1001,/m, 'OUT-2001,')
    .replace(/^,/m, 'OUT-2002,')
  await dropFile(page, 'artikel-skipped.csv', corrected)
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByText('3 templates created').waitFor()
  await page.goto(`${url}/#/templates/1`)
  await page.locator('.traits td', { hasText: '01.01.2026' }).waitFor()
  t.same(complaints, [])
})

t.test('cells with two meanings are wrong until their column has a notation', needs('chromium'), async t => {
  const { page, complaints } = await openImport(t)
  await dropFile(
    page,
    'a.csv',
    'Artikelnr.;Name;Kosten;Termin\nA;Lamp;1.234;03/04/2026\nB;Chair;5;04/05/2026\n'
  )
  await page.getByRole('button', { name: '2 to correct' }).waitFor()
  t.match(
    await page.locator('tr.wrong').first().innerText(),
    /Kosten: has two meanings.*Termin: has two meanings/
  )
  await page.getByLabel('Notation of Termin').selectOption('day/month/year')
  await page.getByRole('button', { name: '1 to correct' }).waitFor()
  await page.setViewportSize({ width: 360, height: 900 })
  await photograph(page, 'import-notation-360')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  t.same(await findBarriers(page), [])
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.getByLabel('Kosten of row 2').fill('1234')
  await page.getByLabel('Kosten of row 2').press('Enter')
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('2 templates created').waitFor()
  await dropFile(page, 'a.csv', 'Artikelnr.;Name;Kosten;Termin\nB;Chair;19,90 €;04/05/2026\n')
  await page.getByText('Kosten: must be a number').waitFor()
  await page.getByLabel('Kind of Kosten').selectOption('Money')
  t.equal(await page.getByLabel('What Kosten becomes').inputValue(), 'trait:Kosten (EUR)')
  await page.getByRole('button', { name: '1 changed' }).click()
  t.match(await page.locator('tr.changed').innerText(), /19,90/)

  const change = page.getByRole('button', { name: 'Change 1 template', exact: true })
  const box = page.getByLabel('Change the 1 template that differs')
  t.ok(await box.isChecked(), 'a price list changes what it names')
  await box.uncheck()
  t.ok(await change.isDisabled())
  await box.check()
  await change.click()
  await page.getByText('0 templates created, 1 changed').waitFor()
  t.same(complaints, [])
})

t.test('a number without a unit is asked for, in the sheet behind a cover', needs('chromium'), async t => {
  const { url, page, complaints } = await openImport(t)
  const text = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (sku: string, price: number, weight: string) =>
    `<row>${text(sku)}${text(`Zelt ${sku}`)}<c><v>${price}</v></c>${weight}</row>`
  const xml = [
    `<row>${['SKU', 'Name', 'Preis', 'Gewicht'].map(text).join('')}</row>`,
    row('A', 19.9, '<c s="1"><v>1.2</v></c>'),
    row('B', 1234.5, '<c s="1"><v>2</v></c>'),
    row('C', 5, '<c><v>500</v></c>')
  ].join('')
  const cover = { name: 'Deckblatt', xml: `<row>${text('Stand')}${text('Mai')}</row>` }
  const workbook = zip(makeParts([cover, { name: 'Liste', xml }], { formats: ['0.0" kg"'] }))
  await dropFile(page, 'zelte.xlsx', workbook)
  await page.getByText('Gewicht: has no unit: write 500 kg, if it is in kg').waitFor()
  t.equal(await page.getByLabel('Sheet').inputValue(), 'Liste')
  t.equal(await page.getByLabel('Notation of', { exact: false }).count(), 0, 'numbers have no notation')
  t.same(await findBarriers(page), [])
  await photograph(page, 'import-unit')
  await page.getByLabel('Unit of Gewicht').selectOption('Without a unit: kg')
  await page.getByRole('button', { name: 'Import 3 rows' }).waitFor()
  await page.getByLabel('Unit of Gewicht').selectOption('Each has its unit')
  const cell = page.getByLabel('Gewicht of row 4')
  await cell.fill('1.234 KG')
  await cell.press('Enter')
  await page.getByText('Gewicht: has two meanings').waitFor()
  await page.getByLabel('Notation of Gewicht').waitFor()
  await cell.fill('0,5 kg')
  await cell.press('Enter')
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByText('3 templates created').waitFor()
  const read =
    '{ allProducts(orderBy: { field: ID, direction: ASC }) { document { attributes { traitType value } } } }'
  const { body } = await query(url, await accessToken(url), read)
  const weights = body.data.allProducts.map(
    ({ document }: never) => (document as never as Document).attributes
  )
  t.match(
    weights.flat().filter(({ traitType }: Trait) => traitType === 'Gewicht (kg)'),
    [{ value: '1.2' }, { value: '2' }, { value: '0.5' }]
  )
  t.same(complaints, [])
})

interface Trait {
  traitType: string
  value: unknown
}
interface Document {
  attributes: Trait[]
}
