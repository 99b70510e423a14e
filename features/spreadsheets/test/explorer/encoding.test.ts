// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: what a file does not say of itself, the owner says. */
import { writeXlsx } from 'hucre/xlsx'
import { t } from 'tap'
import { buildExplorer, findBarriers, launch, logIn, openPage } from '../../../../test/explorer/browse.ts'
import { accessToken, query } from '../../../../test/support/http/http.ts'
import { needs } from '../../../../test/support/programs.ts'
import { service } from '../../../../test/support/service/service.ts'
import { dropFile } from './drop.ts'

t.test('the encoding of a file that is not in Unicode', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/import`)
  await logIn(page)
  // "Стол" in Windows-1251.
  const table = Buffer.concat([
    Buffer.from('name;Farbe\n'),
    Buffer.from([0xd1, 0xf2, 0xee, 0xeb]),
    Buffer.from(';red\n')
  ])
  await dropFile(page, 'tables.csv', table)
  await page.getByText('read as Western European (windows-1252)').waitFor()
  t.match(await page.locator('.rows').innerText(), 'Ñòîë')
  t.same(await findBarriers(page), [])
  await page.getByLabel('Encoding').selectOption('windows-1251')
  await page.locator('.rows', { hasText: 'Стол' }).waitFor()
  t.equal(await page.getByText('read as Western European').count(), 0)
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('1 template created').waitFor()
  t.match((await query(url, token, '{ products { nodes { name } } }')).body.data.products.nodes, [
    { name: 'Стол' }
  ])

  // Windows-1252 does not define 0x81.
  await dropFile(page, 'odd.csv', Buffer.from('name\nA\nB\x81\n', 'latin1'))
  await page.getByText('odd.csv: Line 3: the file has a byte that windows-1252 does not define').waitFor()
  await page.getByLabel('Encoding').selectOption('windows-1251')
  await page.locator('.rows', { hasText: 'BЃ' }).waitFor()
  t.same(complaints, [])
})

t.test('the first visible sheet, and a cell with an error to correct', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const { page, complaints } = await openPage(await launch(t), `${url}/#/import`)
  await logIn(page)
  const cells = new Map([['1,1', { value: '#VALUE!', type: 'error' as const }]])
  const rows = [
    ['Title', 'Weight'],
    ['Jug', null]
  ]
  const workbook = await writeXlsx({
    sheets: [
      { name: 'Lists', rows: [['x']], hidden: true },
      { name: 'Spring', rows, cells }
    ]
  })
  await dropFile(page, 'spring.xlsx', workbook)
  await page.getByText('Weight: has the error #VALUE!').waitFor()
  t.equal(await page.getByLabel('Sheet').inputValue(), 'Spring')
  const cell = page.getByLabel('Weight of row 2')
  await cell.fill('12')
  await cell.press('Enter')
  await page.getByRole('button', { name: 'Import 1 row' }).waitFor()
  t.same(complaints, [])
})
