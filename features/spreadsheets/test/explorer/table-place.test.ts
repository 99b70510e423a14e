// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The import page says which rows of a workbook it reads, and where the header is. */
import { t } from 'tap'
import { buildExplorer, findBarriers, launch, logIn, openPage } from '../../../../test/explorer/browse.ts'
import { needs } from '../../../../test/support/programs.ts'
import { service } from '../../../../test/support/service/service.ts'
import { makeSheet } from '../tables/xlsx/workbook.ts'
import { dropFile } from './drop.ts'

t.test('hidden rows and the header are shown, and can be chosen', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const { page, complaints } = await openPage(await launch(t), `${url}/#/import`)
  await logIn(page)
  const rows = [
    ['Frühjahr', null, null, null],
    ['SKU', 'Name', 'Breite', 'Tiefe'],
    ['sku', 'name', 'width', 'depth'],
    ['A1', 'Stuhl', 40, 45],
    ['A2', 'Tisch', 140, 80],
    ['A3', 'Bank', 150, 40]
  ]
  await dropFile(page, 'spring.xlsx', makeSheet(rows, { hidden: [3, 5] }))
  await page.getByText('2 hidden rows are left out.').waitFor()
  t.equal(
    await page.getByLabel('Header').locator(':checked').textContent(),
    'Row 2: SKU, Name, Breite, Tiefe'
  )
  await page.getByRole('button', { name: 'Import 2 rows' }).waitFor()
  t.same(await findBarriers(page), [])
  await page.getByLabel('Read hidden rows, too').check()
  await page.getByText('2 hidden rows are read, too.').waitFor()
  await page.getByLabel('Header').selectOption('3')
  await page.getByLabel('What width becomes').waitFor()
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByText('3 templates created, 0 changed').waitFor()
  t.same(complaints, [])
})

t.test('what is read stays, once a cell is corrected', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const { page, complaints } = await openPage(await launch(t), `${url}/#/import`)
  await logIn(page)
  // "Höhe" in Windows-1252.
  const table = Buffer.from('Name;Maß\nname;Höhe\nStuhl;40\nTisch;#N/A\n', 'latin1')
  await dropFile(page, 'spring.csv', table)
  const header = page.getByLabel('Header')
  await header.selectOption('2')
  await page.getByLabel('What Höhe becomes').waitFor()
  await page.getByLabel('Encoding').selectOption('windows-1251')
  await page.getByLabel('What Hцhe becomes').waitFor()
  t.equal(await header.inputValue(), '2', 'the chosen header stays')
  t.ok(await header.isEnabled())
  const cell = page.getByLabel('Hцhe of row 4')
  await cell.fill('75')
  await cell.press('Enter')
  await page.getByText('To read other rows, open the file again: your corrections are then lost.').waitFor()
  t.ok(await header.isDisabled())
  t.same(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('2 templates created, 0 changed').waitFor()
  t.same(complaints, [])
})
