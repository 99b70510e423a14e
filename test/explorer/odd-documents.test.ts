// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * The explorer in a real browser with documents that are not as they should be: nothing breaks, and what nobody touched
 * stays.
 */
import type { Page } from 'playwright-core'
import { t } from 'tap'
import { defaultValues } from '../../domain/columns.ts'
import { listDifferences, merge, setPart } from '../../explorer/edit/merge.ts'
import { compareFields } from '../../explorer/template/compare-fields.ts'
import { accessToken, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, launch, logIn, openPage } from './browse.ts'

/** The text of the document as the editor would save it. */
async function draftText(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = await page.getByLabel('Text of the document').inputValue()
  await page.getByRole('button', { name: 'Document', exact: true }).click()
  return text
}

const open = async (page: Page, address: string) => {
  await page.goto(address)
  await page.waitForSelector('main:not([aria-busy]) h1')
}

t.test('data that is no object has pages, and an editor for its text', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  const datas = ['null', '[]', '"text"', '7', 'true', 'no JSON', '']
  const tabs = ['', '/data', '/metadata', '/history']
  await addTemplates(db, ...datas.map((data, id) => ({ id, data })))
  const { page, complaints } = await openPage(await launch(t), `${url}/`)
  await logIn(page)
  for (const [id, data] of datas.entries()) {
    for (const tab of tabs) {
      await open(page, `${url}/#/templates/${id}${tab}`)
      await page.getByRole('heading', { name: `template ${id}`, level: 1 }).waitFor()
    }
    await open(page, `${url}/#/templates/${id}/edit`)
    await page.getByText('The text is not a JSON object').waitFor()
    t.equal(await draftText(page), data)
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByLabel('Text of the document').fill('null')
    await page.getByLabel('Text of the document').fill('{"name": null, "attributes": {"0": 1}}')
    await page.getByRole('button', { name: 'Document', exact: true }).click()
    await page.getByRole('button', { name: 'Add a trait' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
  }
  t.same(complaints, [])
})

t.test(
  'a field that was not touched keeps its bytes, and a value typed again its type',
  needs('chromium'),
  async t => {
    buildExplorer()
    const { db, url } = await service(t, { explorer: true })
    const data = `{"zz" :[1.0,1e2, {"b":1,"a":2}],"productId": 1001,"name":"Lamp\\u0020","image":null,
  "attributes":[ {"trait_type":"A","value":1.50},{"trait_type":"B","value":true,"x":0},{"trait_type":"C"},
 {"value":["a",  "b\\nc"],"trait_type":"D"},{"trait_type":"E","value":"one\\ntwo"},{"trait_type":"F","value":12345678901234567890},
 null,7,[1],{"trait_type":5,"value":null}]\t}\n`
    await addTemplates(db, { id: 1, data })
    const { page, complaints } = await openPage(await launch(t), `${url}/`)
    await logIn(page)
    await open(page, `${url}/#/templates/1/edit`)
    const key = (name: string) => page.locator(`[data-field="/${name}"]`)
    const value = (at: number) => page.getByLabel(`Value of trait ${at}`, { exact: true })
    const openAdvanced = () => page.getByText('Advanced', { exact: true }).click()
    await openAdvanced()
    await key('name').fill('Lantern')
    t.equal(await draftText(page), data.replace('Lamp\\u0020', 'Lantern'))
    await openAdvanced()
    await key('name').fill('Lamp ')
    for (const [name, again] of [
      ['productId', '1001'],
      ['image', 'null'],
      ['description', '']
    ] as const) {
      await key(name).fill('x')
      await key(name).fill('')
      await key(name).pressSequentially(again)
      t.equal(await draftText(page), data.replace('\\u0020', ' '), name)
    }
    await key('productId').fill('0012')
    t.match(await draftText(page), '"productId": "0012"', 'no number is written like this')
    await key('productId').fill('12')
    t.match(await draftText(page), '"productId": 12,')
    await key('productId').fill('1001')

    t.ok(await value(4).isDisabled(), 'a list of texts with line breaks cannot be shown in lines')
    await value(5).fill('one\nthree')
    await value(1).fill('2')
    const changed = data.replace('\\u0020', ' ').replace('two', 'three').replace('1.50', '2')
    t.equal(await draftText(page), changed)
    for (const at of [7, 8, 9]) await page.getByLabel(`Name of trait ${at}`).fill(`T${at}`)
    const named = [7, 8, 9].map(at => `{\n  "trait_type": "T${at}"\n}`)
    t.equal(await draftText(page), changed.replace('null,7,[1]', named.join()))
    t.same(complaints, [])
  }
)

t.test('no picture leads out of the folder of the IPFS gateway', needs('chromium'), async t => {
  buildExplorer()
  const gateway = 'https://gateway.example/ipfs'
  const { db, url } = await service(t, { explorer: true, ipfsGateway: gateway })
  const outside = [
    'Qm/../../../admin/logout?x=1',
    'Qm/%2e%2e/%2E./a',
    'Qm/..%2fa',
    'Qm\\..\\a',
    'Qm/.\t./a',
    '../a',
    'Q@a/b'
  ]
  const links = outside.flatMap(path => [
    `ipfs://${path}`,
    `{ipfs_url}/${path}`,
    `https://x.example/ipfs/${path}`
  ])
  const entries = links.map((value, at) => ({ trait_type: `IPFSproductPhoto${(at % 6) + 1}`, value }))
  const datas = links.map((image, at) => ({ image, attributes: [entries[at]] }))
  const good = { image: 'ipfs://Qm/a.png', attributes: [] }
  await addTemplates(db, ...[good, ...datas].map((data, id) => ({ id, data: JSON.stringify(data) })))
  const { page, complaints } = await openPage(await launch(t), `${url}/`)
  await page.route(`${new URL(gateway).origin}/**`, route =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' })
  )
  await logIn(page)
  for (const id of [good, ...datas].keys()) {
    await open(page, `${url}/#/templates/${id}`)
    await page.getByRole('heading', { name: `template ${id}`, level: 1 }).waitFor()
  }
  await open(page, `${url}/#/templates/0`)
  await page.locator('.picture img').waitFor()
  t.same(new Set(complaints), new Set([`a request to ${gateway}/Qm/a.png`]))
})

const contents = (name: string, ...attributes: unknown[]) => ({
  ...defaultValues,
  name,
  publicProduct: true,
  data: JSON.stringify({ attributes })
})
const trait = (trait_type: unknown, value: unknown) => ({ trait_type, value })

t.test(
  'an entry that is no trait is none called undefined, and a trait may be called as a field is',
  async t => {
    const odd = [null, 7, trait(5, 'a'), { value: 'b' }]
    const before = contents('Lamp', ...odd, trait('undefined', 'x'), trait('5', 'y'), trait('Name', 'z'))
    for (const [at, name] of ['undefined', '5', 'Name'].entries()) {
      const changed = setPart(before, { trait: name, nth: 0 }, trait(name, 'new'))
      const expected = JSON.parse(before.data)
      expected.attributes[odd.length + at].value = 'new'
      t.same(JSON.parse(changed.data), expected, name)
    }
    const theirs = contents('Lamp', null, ...odd.slice(1), trait('Name', 'z'))
    const mine = contents('Lantern', { a: 1 }, ...odd.slice(1), trait('Name', 'z'))
    t.same(
      listDifferences(theirs, theirs, mine).map(({ label }) => label),
      ['Name', 'entry without a name']
    )
    t.same(merge(theirs, mine, listDifferences(theirs, theirs, mine)), mine)
  }
)

t.test('a comparison shows values as people write them, or as JSON if they would look the same', async t => {
  const before = contents('Lamp', trait('Price', '1234.50'), trait('Size', 7))
  const after = contents('Lamp', trait('Price', '1235.50'), trait('Size', '7'))
  const write = (price: number) => price.toLocaleString(undefined, { minimumFractionDigits: 2 })
  t.same(compareFields(before, after), [
    { label: 'Price', from: write(1234.5), to: write(1235.5) },
    { label: 'Size', from: '7', to: '"7"' }
  ])
})

t.test('a cell is edited beside an entry that is null', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true, validation: 'warn' })
  const data = '{"attributes": [null,  {"trait_type": "undefined", "value": "x"}]}'
  await addTemplates(db, { id: 1, name: 'Lamp', data })
  const { page, complaints } = await openPage(await launch(t), `${url}/#/?layout=table`)
  await logIn(page)
  await page
    .locator('td[data-column="trait.undefined"], [role=gridcell][data-column="trait.undefined"]')
    .first()
    .dblclick()
  await page.keyboard.type('new')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as revision 2.').waitFor({ state: 'attached' })
  const { product } = (await query(url, await accessToken(url), '{ product(id: 1) { data } }')).body.data
  t.equal(product.data, data.replace('"x"', '"new"'))
  t.same(complaints, [])
})
