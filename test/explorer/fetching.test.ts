// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The explorer in a real browser: pictures that are not shown say why, and publishers have them fetched. */
import type { Page } from 'playwright-core'
import { type Test, t } from 'tap'
import { dropFile } from '../../features/spreadsheets/test/explorer/drop.ts'
import { users } from '../../store.ts'
import { picture, source } from '../support/pictures.ts'
import { needs } from '../support/programs.ts'
import { addTemplates, service, user } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { buildExplorer, findBarriers, launch, logIn, openPage, photograph } from './browse.ts'

/** Opens the page over 12 templates with links to a host that is not listed. Their number is in the path. */
async function open(t: Test, respond: Parameters<typeof source>[1], place = '#/?order=id') {
  buildExplorer()
  const host = await source(t, respond)
  const { db, url } = await service(t, { explorer: true, privateNetworks: '127.0.0.0/8' })
  const templates = Array.from({ length: 12 }, (_, at) => ({
    id: at + 1,
    name: `Chair ${at + 1}`,
    data: JSON.stringify({ image: `http://${host}/${at + 1}.png` })
  }))
  await addTemplates(db, ...templates, { id: 13, name: 'Without', data: '{"image":""}' })
  const { page, complaints } = await openPage(await launch(t), `${url}/${place}`)
  await logIn(page)
  return { db, url, page, complaints, host }
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Fetch pictures' })

t.test(
  'all missing pictures are fetched, and failures listed with their reasons',
  needs('chromium'),
  async t => {
    const bytes = await picture(1, 40)
    let isRepaired = false
    let tries = 0
    const { page, url, complaints, host } = await open(t, (request, response) => {
      if (request.url === '/3.png' && !isRepaired && ++tries) response.writeHead(404).end()
      else response.end(bytes)
    })
    await page.getByText(`Pictures from ${host} are missing.`).waitFor()
    t.equal(await page.locator('.no-picture').count(), 13, 'there are small faces')
    t.same(await findBarriers(page), [])
    await page.getByRole('button', { name: 'Fetch pictures…' }).click()
    await dialog(page).getByRole('button', { name: 'Fetch 12 pictures' }).click()
    await dialog(page).getByText('11 pictures are stored. 1 picture could not be fetched:').waitFor()
    t.match(
      await dialog(page).locator('li').innerText(),
      'Chair 3: the shop’s server says that there is no such picture'
    )
    t.same(await findBarriers(page), [])
    await photograph(page, 'fetched')
    await page.waitForFunction(() => document.querySelectorAll('img.face').length === 11)
    t.equal(await page.getByText('are missing').count(), 0, 'what the source refused is not offered again')
    await dialog(page).getByRole('button', { name: 'Try these again' }).click()
    await until(() => tries === 2)
    await dialog(page).getByText('1 picture could not be fetched:').waitFor()
    await page.evaluate(() => localStorage.clear())
    for (const list of ['', '&q=Chair']) {
      await page.goto(`${url}/#/?order=id${list}`)
      const asked = page.waitForResponse(/\/media\?link=.*%2F3\.png/)
      await page.reload()
      await asked
      await page.waitForFunction(() => document.querySelectorAll('img.face').length === 11)
      t.equal(await page.getByText('are missing').count(), 0, 'nor in another browser or list')
    }
    await page.goto(`${url}/#/templates/3`)
    await page.getByText('No picture: the shop’s server says that there is no such picture.').waitFor()
    isRepaired = true
    await page.getByRole('button', { name: 'Fetch and store it' }).click()
    await page.locator('.picture img.face').waitFor()
    t.match(complaints, [/422/], 'the browser notes the refusal')
  }
)

t.test(
  'missing pictures are offered once a day for each list, and again after an import',
  needs('chromium'),
  async t => {
    const { page, url, host } = await open(t, (_request, response) => response.writeHead(404).end())
    const offer = page.getByText('are missing')
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.reload()
    await page.getByText('Chair 12').waitFor()
    // The page knows that a picture is missing when it has asked for it.
    const asked = page.waitForResponse(/\/media\?link=/)
    await page.reload()
    await asked
    await page.goto(`${url}/#/?order=id&q=Chair`)
    await offer.waitFor()
    await page.goto(`${url}/#/?order=id&q=Without`)
    await page.getByText('1 of 13').waitFor()
    t.equal(await offer.count(), 0, 'this one has no picture')
    await page.goto(`${url}/#/?order=id&q=Zebra`)
    await page.getByText('No template matches').waitFor()
    t.equal(await offer.count(), 0)
    await page.goto(`${url}/#/?order=id&q=Chair&layout=table`)
    await offer.waitFor()
    // It does not cover the scroll bar of the table.
    await page.waitForFunction(() => {
      const [table, bar] = ['.table-frame', '.missing-pictures'].map(name =>
        document.querySelector(name)?.getBoundingClientRect()
      )
      return table && bar && table.bottom <= bar.top
    })
    await page.goto(`${url}/#/?order=id&layout=gallery`)
    await offer.waitFor({ state: 'detached' })
    // No request of the page may renew the token when the clock jumps: the next page would come without the new one.
    await page.goto('about:blank')
    const tomorrow = Date.now() + 25 * 3600 * 1000
    await page.clock.setFixedTime(tomorrow)
    await page.goto(`${url}/#/?order=id`)
    await offer.waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()
    await offer.waitFor({ state: 'detached' })
    await page.goto(`${url}/#/import`)
    await dropFile(page, 'beds.csv', `name;Image\nBed;http://${host}/bed.png\n`)
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('1 template created').waitFor()
    await page.getByText('1 template has a link to a picture.').waitFor()
    await page.getByRole('button', { name: 'Fetch pictures…' }).click()
    await dialog(page).getByRole('button', { name: 'Fetch 13 pictures' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await page.goto(`${url}/#/?order=id`)
    await offer.waitFor()
  }
)

t.test('a service that does not answer is no missing picture', needs('chromium'), async t => {
  const bytes = await picture(2, 40)
  const { page } = await open(t, (_request, response) => response.end(bytes))
  await page.getByRole('button', { name: 'Fetch pictures…' }).waitFor()
  const statuses = [503, 500]
  await page.route('**/media?link=*', route => {
    const status = /[^\d]1\.png/.test(decodeURIComponent(route.request().url()))
      ? statuses.shift()
      : undefined
    return status === undefined ? route.continue() : route.fulfill({ status })
  })
  await page.getByRole('button', { name: 'Fetch pictures…' }).click()
  await dialog(page).getByRole('alert').getByText('The service did not answer.').waitFor()
  t.equal(
    await dialog(page)
      .getByRole('button', { name: /^Fetch/ })
      .count(),
    0
  )
  t.same(statuses, [], 'a busy service is asked again')
  await dialog(page).getByRole('button', { name: 'Try again' }).click()
  await dialog(page).getByRole('button', { name: 'Fetch 12 pictures' }).waitFor()
  t.equal(await dialog(page).getByRole('alert').count(), 0)
})

t.test('the gallery asks a busy service for its pictures again', needs('chromium'), async t => {
  const { page } = await open(t, (_request, response) => response.end())
  const asked = new Set<string>()
  await page.route('**/media?link=*', route => {
    const link = route.request().url()
    if (asked.has(link)) return route.continue()
    asked.add(link)
    return route.fulfill({ status: 503 })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Fetch pictures…' }).waitFor()
  t.ok(asked.size > 0, 'it was busy')
})

t.test('what was fetched before a stop stays', needs('chromium'), async t => {
  const bytes = await picture(2, 40)
  const held: (() => void)[] = []
  let isHeld = true
  const { page } = await open(t, (request, response) => {
    const number = Number(request.url?.match(/\d+/)?.[0])
    if (isHeld && number > 5) held.push(() => response.end(bytes))
    else response.end(bytes)
  })
  await page.getByRole('button', { name: 'Fetch pictures…' }).click()
  await dialog(page).getByRole('button', { name: 'Fetch 12 pictures' }).click()
  await dialog(page).getByText('Fetched 5 of 12').waitFor()
  await until(() => held.length === 4)
  await dialog(page).getByRole('button', { name: 'Stop' }).click()
  isHeld = false
  for (const release of held) release()
  await page.waitForFunction(() => document.querySelectorAll('img.face').length >= 5)
  await page.reload()
  await page.getByRole('button', { name: 'Fetch pictures…' }).click()
  // The service finishes those that it had begun, so that fewer than seven may be missing.
  await dialog(page)
    .getByRole('button', { name: /^Fetch [1-7] pictures?$/ })
    .click()
  await dialog(page).getByText('No picture is missing.').waitFor()
})

t.test('a template says why it has no picture, and has it fetched', needs('chromium'), async t => {
  const bytes = await picture(3, 40)
  const { page, host, url } = await open(t, (_request, response) => response.end(bytes), '#/templates/2')
  await page.getByText(`No picture: ${host} is not allowed to be shown.`).waitFor()
  t.equal(await page.locator('.no-picture').count(), 1, 'the face appears once')
  t.same(await findBarriers(page), [])
  await page.getByRole('button', { name: 'Fetch and store it' }).click()
  const shown = page.locator('.picture img.face')
  await shown.waitFor()
  t.equal(await shown.evaluate(image => getComputedStyle(image).objectFit), 'contain', 'it is whole')
  t.equal(await page.getByText('No picture').count(), 0)
  await page.goto(`${url}/#/templates/13`)
  await page.locator('.no-picture').waitFor()
  t.equal(await page.getByText('No picture').count(), 0)
})

t.test('who may not publish is told why, and offered nothing', needs('chromium'), async t => {
  const { db, page, host, url } = await open(t, (_request, response) => response.end(), '#/')
  await users.update(db, user.email, { role: 'editor' })
  await page.reload()
  await page.locator('.template-card').first().waitFor()
  await page.goto(`${url}/#/templates/2`)
  await page.getByText(`No picture: ${host} is not allowed to be shown.`).waitFor()
  await page.click('.account summary')
  await page.getByText('Editor: cannot publish or delete').waitFor()
  t.equal(await page.getByRole('button', { name: 'Fetch and store it' }).count(), 0)
  await page.goto(`${url}/#/`)
  await page.locator('.template-card').first().waitFor()
  t.equal(await page.getByRole('button', { name: 'Fetch pictures…' }).count(), 0)
})
