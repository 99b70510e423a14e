// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** A table that names files of pictures is imported together with them. */
import { t } from 'tap'
import {
  buildExplorer,
  findBarriers,
  launch,
  logIn,
  openPage,
  photograph
} from '../../../../test/explorer/browse.ts'
import { accessToken, query } from '../../../../test/support/http/http.ts'
import { picture } from '../../../../test/support/pictures.ts'
import { needs } from '../../../../test/support/programs.ts'
import { service } from '../../../../test/support/service/service.ts'
import { dropFiles } from './drop.ts'

const read = `{ allProducts(orderBy: { field: NAME, direction: ASC }) {
  name document { image attributes { traitType value } } } }`

t.test('pictures are uploaded, and their cells become links', needs('chromium'), async t => {
  buildExplorer()
  const { url } = await service(t, { explorer: true })
  const token = await accessToken(url)
  const { page, complaints } = await openPage(await launch(t), `${url}/#/import`)
  await logIn(page)
  const small = await Promise.all([1, 2, 3].map(seed => picture(seed, 20)))
  const contents = (at: number) => small[at] as Buffer
  const table = [
    'SKU;Title;Photo;IPFSproductPhoto1;Manual',
    '10001;Bed;lamp-1.png;;a.png',
    '10002;Chair;photos\\LAMP-2.PNG;lamp-1.png;b.png',
    '10003;Lamp;lamp 3.png;https://example.com/4.png;c.png'
  ].join('\n')
  await dropFiles(page, { name: 'lamp-1.png', contents: contents(0) })
  await page.getByText('Choose the table that names these pictures, too.').waitFor()
  await dropFiles(
    page,
    { name: 'Lamp-2.png', contents: contents(1) },
    { name: 'lamps.csv', contents: table },
    { name: 'unused.jpg', contents: 'nothing' }
  )
  await page.getByText('The table names 3 pictures. 1 file is missing.').waitFor()
  t.equal(await page.getByLabel('What Photo becomes').inputValue(), 'document.image')
  t.match(await page.locator('tr.wrong').innerText(), 'Photo: no file lamp 3.png was chosen')
  t.equal(await page.locator('tr.wrong').count(), 1)
  t.same(await findBarriers(page), [])
  await photograph(page, 'import-pictures')
  await page.setViewportSize({ width: 360, height: 900 })
  await photograph(page, 'import-pictures-360')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await page.setViewportSize({ width: 1360, height: 900 })

  const choose = (buffer: Buffer) =>
    page.getByLabel('Choose pictures').setInputFiles([{ name: 'lamp 3.png', mimeType: 'image/png', buffer }])
  await choose(Buffer.from('this is no picture at all'))
  await page.getByText('They are uploaded when you import.').waitFor()
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByText('lamp 3.png was not stored: the picture must be PNG').waitFor()
  t.same((await query(url, token, read)).body.data.allProducts, [], 'nothing is imported')
  await choose(contents(2))
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByText('3 templates created').waitFor()
  const { allProducts } = (await query(url, token, read)).body.data
  const [bed, chair, lamp] = allProducts.map(
    ({ document }: { document: { image: string } }) => document.image
  )
  for (const link of [bed, chair, lamp]) t.match(link, /^ipfs:\/\/bafkrei[a-z2-7]{52}$/)
  t.equal(new Set([bed, chair, lamp]).size, 3)
  t.same(allProducts[1].document.attributes, [
    { traitType: 'IPFSproductPhoto1', value: bed },
    { traitType: 'Manual', value: 'b.png' }
  ])

  await dropFiles(page, { name: 'lamps.csv', contents: table })
  await page.getByRole('button', { name: '3 unchanged' }).waitFor()
  t.ok(
    complaints.every(text => text.includes('415')),
    'nothing else is wrong'
  )
})
