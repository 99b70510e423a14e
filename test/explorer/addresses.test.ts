// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser at addresses that people mistype, cut off and make up. */
import { t } from 'tap'
import { needs } from '../support/programs.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { buildExplorer, launch, logIn, openPage } from './browse.ts'

t.test('every address shows a page, and what it cannot mean is ignored', needs('chromium'), async t => {
  buildExplorer()
  const { db, url } = await service(t, { explorer: true })
  await addTemplates(db, { id: 0, name: 'Lamp' }, { id: 7, name: 'Chair' }, { id: 8, name: 'Table' })
  const browser = await launch(t)
  const { page, complaints } = await openPage(browser, `${url}/?q=%#/%`)
  await logIn(page)
  const open = async (place: string) => {
    await page.goto('about:blank')
    await page.goto(`${url}/${place}`)
    await page.waitForSelector('main:not([aria-busy])')
  }

  for (const place of [
    '?q=%',
    '#/%',
    '#/?chain=',
    '#/?chain=0x7&chain=1e0&chain=99999999999&chain=+',
    '#/?component=&public=&items=&order=constructor&from=',
    '#/?from=nonsense',
    '#/?trait.MadeIn=nonsense&trait.=1&has.MadeIn',
    `#/?range.Price=${'9'.repeat(400)}..&range.Size=..<-${'9'.repeat(400)}`,
    '#/templates/%',
    '#/templates/%20',
    '#/templates/0x7',
    '#/templates/x/edit'
  ]) {
    await open(place)
    await page.locator('.template-card').nth(2).waitFor()
    t.equal(await page.locator('.bar .pill').count(), 0, `${place} filters nothing`)
  }
  await open('#/?q=%')
  t.equal(await page.locator('#search').inputValue(), '%')
  await open('#/?chain=1&chain=7&chain=&component=constructor')
  t.same(await page.locator('.bar .pill').allInnerTexts(), [
    'constructor\n✕\n, remove',
    'Ethereum (1)\n✕\n, remove',
    'Blockchain 7\n✕\n, remove'
  ])

  await open(`#/?range.Price=4..${'9'.repeat(400)}&range.Size=-${'9'.repeat(400)}..<1000`)
  t.same(await page.locator('.bar .pill').allInnerTexts(), [
    'Price: 4 or more\n✕\n, remove',
    'Size: below 1,000\n✕\n, remove'
  ])

  for (const [place, heading] of [
    ['#/templates/7/history?revision=&from=', 'Revision 1, the first'],
    ['#/templates/7/history?revision=x&from=%', 'Revision 1, the first'],
    ['#/templates/7/history?revision=99', 'Revision 1, the first'],
    ['#/templates/7/%', 'Chair'],
    ['#/templates/99', 'There is no template 99'],
    ['#/templates/99/edit', 'There is no template 99']
  ] as const) {
    await open(place)
    await page.getByRole('heading', { name: heading, level: heading.startsWith('R') ? 2 : 1 }).waitFor()
  }
  await open('#/templates/7/nonsense')
  await page.getByText('The document has no traits').waitFor()
  t.same(complaints, [])
})
