// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: pictures of templates, which the service fetches and stores. */
import type { Page } from 'playwright-core'
import { t } from 'tap'
import { accessToken, query } from '../support/http/http.ts'
import { picture, source } from '../support/pictures.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

/** The natural sizes of the pictures that the page shows, when they have arrived. */
const sizes = (page: Page): Promise<number[]> =>
  page.locator('img.face').evaluateAll(images =>
    Promise.all(
      (images as HTMLImageElement[]).map(async image => {
        await image.decode()
        return image.naturalWidth
      })
    )
  )

t.test('pictures are shown by way of the service, and uploaded', needs('chromium'), async t => {
  buildExplorer()
  const bytes = await picture(1, 300)
  const host = await source(t, (request, response) =>
    request.url === '/ipfs/bafyone' || request.url === '/two.png'
      ? response.end(bytes)
      : response.writeHead(404).end()
  )
  const { db, url } = await service(t, {
    explorer: true,
    imageSources: `http://${host}/ipfs`,
    privateNetworks: '127.0.0.0/8'
  })
  const photo = { trait_type: 'IPFSproductPhoto1', value: `http://${host}/two.png` }
  await addTemplates(
    db,
    { id: 1, name: 'One', data: JSON.stringify({ image: 'ipfs://bafyone', attributes: [photo] }) },
    { id: 2, name: 'Two', data: JSON.stringify({ image: 'ipfs://bafymissing', attributes: [] }) }
  )
  const token = await accessToken(url)
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/`)
  await logIn(page)
  await page.locator('img.face').waitFor()
  t.same(await sizes(page), [300], 'the other one has a drawn face')

  await page.goto(`${url}/#/templates/1`)
  await page.locator('.photos img.face').waitFor()
  t.ok((await sizes(page)).every(size => size === 300))
  await photograph(page, 'pictures')

  await page.goto(`${url}/#/templates/2/edit`)
  await page.getByLabel('Upload a picture').setInputFiles({
    name: 'chair.png',
    mimeType: 'image/png',
    buffer: await picture(2, 500)
  })
  await page.locator('.picture-upload img.face').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'upload')
  await page.getByRole('button', { name: 'Save revision 2' }).click()
  await page.getByText('Saved as revision 2.').waitFor()
  const { product } = (await query(url, token, '{ product(id: 2) { document { image } } }')).body.data
  t.match(product.document.image, new RegExp(`^http://${host}/ipfs/bafkrei[a-z2-7]{52}$`))
  await page.locator('img.face').first().waitFor()
  t.ok((await sizes(page)).includes(500))

  await page.goto(`${url}/#/templates/2/edit`)
  await page.getByLabel('Upload a picture').setInputFiles({
    name: 'chair.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  })
  await page.getByText('The picture was not stored: the picture must be PNG').waitFor()
  t.match(complaints, [/415/])
})

t.test('without the endpoint of pictures, the gateway has them', needs('chromium'), async t => {
  buildExplorer()
  const ipfsGateway = 'https://gateway.example/ipfs'
  const { db, url } = await service(t, { explorer: true, ipfsGateway })
  await addTemplates(db, { id: 1, data: JSON.stringify({ image: 'ipfs://bafyone', attributes: [] }) })
  const { page } = await openPage(await launch(t), `${url}/`)
  let requests = 0
  await page.route('**/media?*', route => {
    requests++
    return route.fulfill({ status: 404 })
  })
  await page.route(`${ipfsGateway}/**`, route =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' })
  )
  await logIn(page)
  await page.locator(`img.face[src="${ipfsGateway}/bafyone"]`).waitFor()
  await page.goto(`${url}/#/templates/1`)
  await page.locator('.picture img.face').waitFor()
  t.equal(requests, 1, 'it is not requested again')
})

t.test('a source that does not answer leaves the page usable', needs('chromium'), async t => {
  buildExplorer()
  let asked = 0
  const host = await source(t, () => asked++)
  const { db, url } = await service(t, {
    explorer: true,
    imageSources: host,
    privateNetworks: '127.0.0.0/8'
  })
  const templates = Array.from({ length: 12 }, (_, id) => ({
    id,
    name: `Chair ${id}`,
    data: JSON.stringify({ image: `http://${host}/${id}.png` })
  }))
  await addTemplates(db, ...templates)
  const browser = await launch(t)
  const { page } = await openPage(browser, `${url}/`)
  await logIn(page)
  await until(() => asked === 3)
  await page.goto(`${url}/#/templates/11`)
  await page.getByRole('heading', { name: 'Chair 11', level: 1 }).waitFor()
})
