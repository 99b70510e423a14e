// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: files of any kind are looked at first, then imported. */
import { readFile } from 'node:fs/promises'
import { writeXlsx } from 'hucre/xlsx'
import { t } from 'tap'
import { demoTemplates } from '../../../../seeds/seed.ts'
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
import { addTemplates, service } from '../../../../test/support/service/service.ts'
import { dropFile } from './drop.ts'

const data = `{ "name": "Lamp",\n  "attributes": [ { "trait_type": "MadeIn",  "value": "Norway" },
    { "trait_type": "UnitsProduced", "value": 250 } ] }`

const stored = async (url: string, token: string, id: number) =>
  (await query(url, token, `{ product(id: ${id}) { name maxItems data revision } }`)).body.data.product

t.test('a file of templates', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 7, name: 'Lamp', data }, { id: 8, name: 'Chair', data: '{}' })
  const token = await accessToken(url)
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/#/import`)
  await logIn(page)
  const drop = (...records: object[]) =>
    dropFile(page, 'templates.ndjson', records.map(record => JSON.stringify(record)).join('\n'))
  const common = { blockchainId: 1, maxItems: 10, publicProduct: true }
  const wrong = { ...common, name: 'Sofa', document: { attributes: [{ trait_type: 'MadeIn', value: 7 }] } }
  await drop(wrong)
  await page.locator('tr.wrong').first().waitFor()
  t.ok(await page.getByRole('button', { name: 'Import', exact: false }).isDisabled())
  await drop(
    { ...common, id: 7, name: 'Lantern', data },
    { ...common, id: 8, name: 'Chair', data: '{}' },
    { ...common, id: 9, name: 'Table', document: { name: 'Table' } }
  )
  await page.getByText('1 new').waitFor()
  t.match(await page.textContent('.counts'), '0 to correct1 changed1 new1 unchanged')
  t.same(await findBarriers(page), [])
  await page.getByLabel('Change the 1 template that differs').check()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('1 template created, 1 changed').waitFor()
  t.match(await stored(url, token, 7), { revision: 2, name: 'Lantern', data })
  t.match(await stored(url, token, 9), { name: 'Table', data: '{"name":"Table"}' })

  const header = '\uFEFFid;blockchainId;maxItems;name;publicProduct;document.name;trait:MadeIn;data\r\n'
  const quoted = `"${data.replaceAll('"', '""')}"`
  await dropFile(
    page,
    'templates.csv',
    `${header}7;1;10;"Two\nlines";TRUE;;Norway;${quoted}\n10;1;10;Bed;TRUE;;7;\n`
  )
  t.match(await page.locator('tr', { hasText: 'Bed' }).innerText(), /trait:MadeIn: MadeIn must be text/)
  const cell = page.getByLabel('trait:MadeIn of row 6')
  t.equal(await cell.inputValue(), '7')
  await cell.fill('"7"')
  await cell.press('Enter')
  await page.getByLabel('Change the 1 template that differs').check()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('1 template created, 1 changed').waitFor()
  t.equal((await stored(url, token, 7)).name, 'Two\nlines')
  t.equal((await stored(url, token, 10)).data, '{"attributes":[{"trait_type":"MadeIn","value":"7"}]}')
  t.same(complaints, [])
})

/** A spreadsheet of an owner, with headers of its own. */
const header = ['SKU', 'Title', 'Price EUR', 'Country', 'Photo 1', 'Internal note', 'Edition']
const lamps = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    String(10_001 + index),
    `Lámpara n.º ${index + 1}`,
    `${index},50`,
    index % 2 ? 'Perú' : 'Noruega',
    `https://example.com/ipfs/lamp-${index}.jpg`,
    '',
    String(1 + index)
  ])

t.test('a spreadsheet with headers of its own', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 7, name: 'Lamp', data })
  const token = await accessToken(url)
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/#/import`)
  await logIn(page)

  const rows = lamps(200)
  rows[2] = ['10003', '', '2,5O', 'Perú', 'https://example.com/x', '', '3']
  const text = [header, ...rows].map(cells => cells.join(';')).join('\r\n')
  // Windows-1252 has the letters of Latin-1 in the same places.
  await dropFile(page, 'spring.csv', Buffer.from(text, 'latin1'))
  await page.getByText('200 rows').waitFor()
  const becomes = (column: string) => page.getByLabel(`What ${column} becomes`).inputValue()
  t.same(await Promise.all(header.map(becomes)), [
    'document.productId',
    'name',
    'trait:Price EUR',
    'trait:MadeIn',
    'document.image',
    '',
    'maxItems'
  ])
  await page.getByRole('button', { name: '1 to correct' }).waitFor()
  t.match(
    await page.locator('tr.wrong').innerText(),
    /Price EUR: must be a number, but has the letter O; Title: is missing/
  )
  t.same(await findBarriers(page), [])
  await photograph(page, 'import')
  t.ok(await page.getByRole('button', { name: 'Import 199 rows' }).isDisabled())
  await page.getByLabel('Price EUR of row 4').fill('2,50')
  await page.getByLabel('Price EUR of row 4').press('Enter')
  await page.getByLabel('Title of row 4').fill('Lámpara roja')
  await page.getByLabel('Title of row 4').press('Enter')
  await page.getByLabel('Max items').waitFor({ state: 'detached' })
  const isOffered = await page.getByLabel('Public').evaluate(async select => {
    const option = [...(select as HTMLSelectElement).options].find(({ text }) => text === 'Public')
    Object.assign(select, { value: option?.value })
    select.dispatchEvent(new Event('change', { bubbles: true }))
    // The page is drawn again in a microtask, before a preview can be read.
    for (let microtask = 0; microtask < 20; microtask++) await null
    return !(document.querySelector('.actions .primary') as HTMLButtonElement).disabled
  })
  t.equal(isOffered, false, 'what the page shows is old until it has looked again')
  await page.getByRole('button', { name: 'Import 200 rows' }).click()
  await page.getByText('200 templates created, 0 changed').waitFor()
  const { products } = (
    await query(
      url,
      token,
      '{ products(where: { productId: { equals: "10003" } }) { nodes { name maxItems publicProduct document { name image attributes { traitType value } } } } }'
    )
  ).body.data
  t.same(products.nodes, [
    {
      name: 'Lámpara roja',
      maxItems: 3,
      publicProduct: true,
      document: {
        name: 'Lámpara roja',
        image: 'https://example.com/x',
        attributes: [
          { traitType: 'Price EUR', value: '2.50' },
          { traitType: 'MadeIn', value: 'Perú' }
        ]
      }
    }
  ])

  // Some months later, as a workbook, with other prices and one lamp more.
  const next = lamps(201).map((cells, index) => (index < 5 ? cells.with(2, '9,00') : cells))
  next[2] = rows[2].with(1, 'Lámpara roja').with(2, '9,00')
  const workbook = await writeXlsx({
    sheets: [
      { name: 'Notes', rows: [['nothing']] },
      { name: 'Products', rows: [header, ...next.map(cells => cells.with(6, Number(cells[6]) as never))] }
    ]
  })
  await dropFile(page, 'summer.xlsx', workbook)
  await page.getByLabel('Sheet').selectOption('Products')
  await page.getByRole('button', { name: '5 changed' }).click()
  t.match(await page.locator('tr.changed').first().innerText(), /0\.50\s9\.00/)
  await photograph(page, 'import-again')
  await page.getByLabel('Change the 5 templates that differ').uncheck()
  t.ok(
    await page.getByRole('button', { name: 'Import 1 row', exact: true }).isEnabled(),
    'nothing is replaced'
  )
  await page.getByLabel('Change the 5 templates that differ').check()
  const theirs =
    'mutation { updateProducts(where: { productId: { equals: "10002" } }, change: { maxItems: 77 }) { count } }'
  // While the import is on its way, somebody else changes a template.
  await page.route('**/graphql', async route => {
    if (route.request().postData()?.includes('importProducts')) await query(url, token, theirs)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Import 6 rows' }).click()
  await page.getByText('Row 3: the template was changed: its revision is 2. Nothing was imported.').waitFor()
  await page.unroute('**/graphql')
  await page.getByRole('button', { name: 'Import 6 rows' }).click()
  await page.getByText('1 template created, 5 changed').waitFor()
  await dropFile(page, 'summer.xlsx', workbook)
  await page.getByLabel('Sheet').selectOption('Products')
  await page.getByRole('button', { name: '201 unchanged' }).waitFor()
  t.same(complaints, [])
})

t.test('a file that is written in parts says so, and goes on after a failure', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const token = await accessToken(url)
  const browser = await launch(t)
  const { page } = await openPage(browser, `${url}/#/import`)
  await logIn(page)
  const names = ['Lamp', 'Chair', 'Sofa', 'Table']
  // Without ids: that two of them are imported cannot be seen by comparing.
  const records = names.map(name => ({
    ...{ blockchainId: 1, maxItems: 10, publicProduct: true, name },
    document: { name, description: 'long '.repeat(40_000) }
  }))
  await dropFile(page, 'long.ndjson', records.map(record => JSON.stringify(record)).join('\n'))
  await page.getByText('The rows are written in 2 parts').waitFor()
  let parts = 0
  await page.route('**/graphql', route => {
    const isLost = route.request().postData()?.includes('importProducts') && ++parts === 2
    return isLost ? route.abort() : route.continue()
  })
  await page.getByRole('button', { name: 'Import 4 rows' }).click()
  await page.getByText('imported rows 3 to 4 is not known. 2 rows are imported, up to row 2:').waitFor()
  await page.getByText('All of these rows are written, or none.').waitFor()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('2 templates created').waitFor()
  const { body } = await query(url, token, '{ allProducts(orderBy: { field: ID, direction: ASC }) { name } }')
  t.same(
    body.data.allProducts.map(({ name }: { name: string }) => name),
    names
  )
})

t.test('no word is broken on a narrow screen', needs('chromium'), async t => {
  const { url } = await service(t, { explorer: true })
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/#/import`)
  await logIn(page)
  const values =
    'A-1;incomprehensibilities of internationalization;https://example.com/a-long-path/that/goes/on'
  await dropFile(page, 'lamps.csv', `sku;extraordinarilyLongColumnName;link\n${values}\nA-2;short;\n`)
  await page.locator('.rows td').first().waitFor()
  for (const width of [360, 760, 1360]) {
    await page.setViewportSize({ width, height: 900 })
    t.same(await page.locator('.mapping, .rows').evaluateAll(findBrokenWords), [], `${width} pixels`)
  }
  t.same(complaints, [])
})

/** The words that begin on one line and end on another. */
function findBrokenWords(roots: Element[]): string[] {
  const found: string[] = []
  for (const root of roots) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { currentNode } = texts
      for (const { 0: word, index } of (currentNode.textContent ?? '').matchAll(/\S+/g)) {
        const range = document.createRange()
        range.setStart(currentNode, index)
        range.setEnd(currentNode, index + word.length)
        if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1) found.push(word)
      }
    }
  }
  return found
}

t.test('files that cannot be read', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/#/import`)
  await logIn(page)
  for (const [name, contents, message] of [
    ['empty.csv', '', 'The file is empty.'],
    ['damaged.xlsx', 'PK\x03\x04 and nothing', 'The file is not an XLSX workbook, or it is damaged.'],
    ['photo.csv', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'The file is not a text: save the table as XLSX or CSV.'],
    ['quote.csv', 'a,b\n1,a"b\n', 'Line 2: a quote is out of place'],
    ['old.xls', 'rows of an older program', 'The file is not an XLSX workbook'],
    ['array.json', '[{]', 'The file is not JSON']
  ]) {
    await dropFile(page, name as string, contents as string)
    await page.getByText(message as string).waitFor()
  }
  t.same(complaints, [])
})

t.test('what is exported is imported again as no change', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, ...demoTemplates.map((demo, id) => ({ ...demo, id })))
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/`, { acceptDownloads: true })
  await logIn(page)
  const exportAs = async (opener: string, format: string): Promise<{ name: string; bytes: Buffer }> => {
    await page.getByRole('button', { name: opener, exact: true }).click()
    await page.getByLabel(format).check()
    const download = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
    const file = await download
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }
  for (const format of ['XLSX', 'CSV', 'NDJSON']) {
    await page.goto(`${url}/#/`)
    await page.locator('.template-card').first().waitFor()
    const { name, bytes } = await exportAs('Export', format)
    t.equal(name, `templates.${format.toLowerCase()}`)
    await page.goto(`${url}/#/import`)
    await dropFile(page, name, bytes)
    await page.getByRole('button', { name: `${demoTemplates.length} unchanged` }).waitFor()
    t.match(await page.textContent('.counts'), `0 to correct0 changed0 new${demoTemplates.length} unchanged`)
  }

  await page.goto(`${url}/#/`)
  await page.getByRole('button', { name: 'Select' }).click()
  await page.locator('.template-card').first().click()
  await page.locator('.template-card').nth(1).click()
  const { bytes } = await exportAs('Export…', 'NDJSON')
  t.equal(bytes.toString().trim().split('\n').length, 2)
  t.same(await findBarriers(page), [])
  t.same(complaints, [])
})
