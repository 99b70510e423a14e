// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** What the page says if it cannot read something, and how the user tries it again, in a real browser. */
import type { Page } from 'playwright-core'
import { t } from 'tap'
import { recordEvent } from '../../db/audit/record.ts'
import { dropFile } from '../../features/spreadsheets/test/explorer/drop.ts'
import { needs } from '../support/programs.ts'
import { addTemplates } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { button, dialog, openAs } from './administer.ts'
import { findBarriers, logIn, photograph } from './browse.ts'

/** Lets the service fail to answer the requests with a text, until the returned function is called. */
async function fail(page: Page, text: string): Promise<() => Promise<void>> {
  const errors = [{ message: 'internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }]
  await page.route('**/graphql', route =>
    route.request().postData()?.includes(text)
      ? route.fulfill({ json: { data: null, errors } })
      : route.continue()
  )
  return () => page.unroute('**/graphql')
}

t.test('each list that could not be read is tried again', needs('chromium'), async t => {
  const { page, complaints, go } = await openAs(t)
  const places = [
    ['#/?order=id', 'query List', 'The templates could not be read.', 'link', /Lamp/],
    ['#/?layout=table', 'query List', 'The templates could not be read.', 'rowheader', /Lamp/],
    ['#/templates/1', 'query Template', 'The template could not be read.', 'heading', 'Lamp'],
    ['#/templates/1/edit', 'query Template', 'The template could not be read.', 'heading', 'Edit Lamp'],
    ['#/templates/1/history', 'query History', 'The revisions could not be read.', 'link', /Revision 1/],
    ['#/templates/1/history', 'query Revision', 'The revisions could not be read.', null, 'Show as JSON'],
    [
      '#/deleted',
      'latestCursor',
      'The deleted templates could not be read.',
      null,
      'No template is deleted.'
    ],
    ['#/bulk-changes', 'query BulkChanges', 'The list could not be read.', null, /^Nobody has imported/],
    ['#/admin', 'viewer { role scopes }', 'Your rights could not be read.', 'heading', 'People'],
    ['#/admin/people', 'query People', 'The people could not be read.', 'columnheader', 'Name'],
    ['#/admin/clients', 'query Clients', 'The clients could not be read.', 'columnheader', 'Client'],
    ['#/admin/webhooks', 'query Webhooks', 'The webhooks could not be read.', null, /no webhooks yet/],
    ['#/admin/trail', 'query Trail', 'The audit trail could not be read.', 'list', 'Events']
  ] as const
  for (const [place, query, problem, role, found] of places) {
    await go('#/new')
    const repair = await fail(page, query)
    await go(place)
    const alert = page.getByRole('alert').filter({ hasText: problem })
    await alert.waitFor()
    t.same(await findBarriers(page), [], place)
    await photograph(page, `failed${place.replace(/\W+/g, '-')}`)
    await button(page, 'Try again').click()
    await page.locator('.button:not([aria-busy])', { hasText: 'Try again' }).waitFor()
    t.equal(await page.locator(':focus').innerText(), 'Try again', 'after another failure, it has the focus')
    await repair()
    await page.keyboard.press('Enter')
    const shown = role ? page.getByRole(role, { name: found }) : page.getByText(found)
    await shown.first().waitFor()
    t.equal(await alert.count(), 0)
  }
  t.same(complaints, [])
})

t.test('what was read stays if the next page fails', needs('chromium'), async t => {
  const { db, page, go } = await openAs(t)
  const templates = Array.from({ length: 150 }, (_, at) => ({ id: at + 2, name: `Chair ${at + 2}` }))
  await addTemplates(db, ...templates)
  const actor = { subject: null, clientId: 'shop', name: null, address: null }
  await db.transaction().execute(async transaction => {
    for (let at = 1; at <= 101; at++)
      await recordEvent(transaction, actor, 'client.add', { id: `till-${at}` })
  })
  const nextPage = '"after":"'
  for (const [place, shown] of [
    ['#/?order=id', '.template-card'],
    ['#/?order=id&layout=table', '[role=gridcell]']
  ] as const) {
    await go('#/new')
    const repair = await fail(page, nextPage)
    await go(place)
    const scroll = async () => {
      await page.locator(shown).first().hover()
      await page.mouse.wheel(0, 20_000)
    }
    await scroll()
    const alert = page.getByRole('alert').filter({ hasText: 'The templates could not be read.' })
    await alert.waitFor()
    await photograph(page, `failed-page-${shown.slice(1, 9)}`)
    t.ok((await page.locator(shown).count()) > 0)
    await repair()
    await button(alert, 'Try again').click()
    await alert.waitFor({ state: 'detached' })
    await until(async () => {
      await scroll()
      return (await page.getByText('Chair 151', { exact: true }).count()) > 0
    })
  }
  await go('#/admin/trail?actor=shop&action=client.add')
  await page.getByText('till-101').waitFor()
  const repair = await fail(page, nextPage)
  await button(page, 'Show older').press('Enter')
  await page.getByRole('alert').getByText('The audit trail could not be read.').waitFor()
  t.equal(await page.locator(':focus').innerText(), 'Try again')
  t.equal(await page.getByText('till-101').count(), 1)
  t.equal(await button(page, 'Show older').count(), 0)
  await repair()
  await page.keyboard.press('Enter')
  await page.getByText('till-1', { exact: true }).waitFor()
  t.equal(await page.getByText('till-101').count(), 1)
})

t.test(
  'a service that does not answer is asked at once when the user wants it',
  needs('chromium'),
  async t => {
    const { page, go } = await openAs(t)
    // The page never tries again by itself.
    await page.addInitScript(() => {
      const { setTimeout } = globalThis
      globalThis.setTimeout = ((act: () => void, time = 0) => time < 1000 && setTimeout(act, time)) as never
    })
    await page.reload()
    await page.getByRole('link', { name: /Lamp/ }).waitFor()
    await page.route('**/graphql', route => route.abort())
    await go('#/deleted')
    await page.getByText('The service has not answered since').waitFor()
    await page.unroute('**/graphql')
    await button(page, 'Try now').click()
    await page.getByText('No template is deleted.').waitFor()
    t.equal(await page.getByText('The service has not answered since').count(), 0)
  }
)

t.test('a schema that could not be read is read for the next form', needs('chromium'), async t => {
  const { page, go } = await openAs(t)
  const schema = '**/schemas/template.json'
  await page.route(schema, route => route.fulfill({ status: 503, json: { message: 'too busy' } }))
  await go('#/templates/1/edit')
  await page.getByLabel('Text of the document').waitFor()
  await page.unroute(schema)
  await go('#/templates/1')
  await go('#/templates/1/edit')
  await button(page, 'Add a trait').waitFor()
})

t.test('the fields of a document are read again in the form', needs('chromium'), async t => {
  const { page, complaints, go } = await openAs(t)
  const schema = '**/schemas/template.json'
  await page.route(schema, route => route.fulfill({ status: 200, body: 'no JSON' }))
  await go('#/templates/1/edit')
  const alert = page.getByRole('alert').filter({ hasText: 'The fields of the document could not be read.' })
  await alert.waitFor()
  await page.getByLabel('Text of the document').waitFor()
  t.same(await findBarriers(page), [])
  await button(page, 'Text').click()
  t.equal(await alert.count(), 0, 'who wants the text misses nothing')
  await button(page, 'Document').click()
  await page.unroute(schema)
  await button(page, 'Try again').press('Enter')
  await button(page, 'Add a trait').waitFor()
  t.equal(await alert.count(), 0)
  t.equal(await page.locator('form:focus').count(), 1, 'the keyboard stays in the form')
  t.same(complaints, [])
})

t.test(
  'the gallery is loaded after the login, because a slow network takes long for it',
  needs('chromium'),
  async t => {
    const { browser, url } = await openAs(t)
    const page = await (await browser.newContext()).newPage()
    const loaded: string[] = []
    page.on('request', request => loaded.push(new URL(request.url()).pathname))
    const isOfGallery = (path: string) => path.startsWith('/explorer/gallery-')
    await page.goto(url)
    await page.waitForSelector('[name=username]')
    t.same(loaded.filter(isOfGallery), [])
    t.equal(loaded.filter(path => path.startsWith('/explorer/')).length, 3, 'two scripts and a style')
    await logIn(page)
    t.ok(loaded.some(isOfGallery))
  }
)

t.test('code that could not be loaded is loaded again, with its style', needs('chromium'), async t => {
  const { page, go } = await openAs(t)
  const problem = (what: string) => `${what} could not be loaded. If it keeps failing, reload the page.`
  const failing = (what: string) => page.getByRole('alert').filter({ hasText: problem(what) })
  for (const [files, open, what, shown, style, value] of [
    ['gallery-*.{js,css}', () => page.reload(), 'This page', '.gallery', 'display', 'grid'],
    ['table-*.js', () => go('#/?layout=table'), 'The table', '.table [data-id]', 'display', 'grid'],
    ['table-*.css', () => go('#/?layout=table'), 'The table', '.table [data-id]', 'display', 'grid'],
    ['bar-*.{js,css}', () => button(page, 'Select').click(), 'The bar', '.bulk-bar', 'display', 'flex'],
    ['deleted-*.{js,css}', () => go('#/deleted'), 'This page', '.deleted', 'maxWidth', '820px']
  ] as const) {
    await go('#/?layout=gallery')
    await page.reload()
    await page.getByRole('link', { name: /Lamp/ }).waitFor()
    await page.route(`**/explorer/${files}`, route => route.abort())
    await open()
    await failing(what).waitFor()
    t.same(await findBarriers(page), [], files)
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    await page.unroute(`**/explorer/${files}`)
    await button(page, 'Try again').click()
    const found = page.locator(shown).first()
    await found.waitFor()
    t.equal(await failing(what).count(), 0)
    t.equal(await page.evaluate('isSamePage'), true)
    await until(
      async () =>
        (await found.evaluate((element, style) => getComputedStyle(element)[style], style)) === value
    )
  }
})

t.test('a page before the first that fails is told on the screen', needs('chromium'), async t => {
  const { db, page, go } = await openAs(t)
  const templates = Array.from({ length: 150 }, (_, at) => ({ id: at + 2, name: `Chair ${at + 2}` }))
  await addTemplates(db, ...templates)
  await go('#/?order=id')
  await page
    .getByRole('link', { name: /Chair 8/ })
    .first()
    .hover()
  await page.mouse.wheel(0, 1500)
  await page.waitForURL(/from=/)
  const repair = await fail(page, '"before":"')
  await page.reload()
  const alert = page.getByRole('alert').filter({ hasText: 'The templates could not be read.' })
  await alert.waitFor()
  const isOnScreen = () =>
    alert.evaluate(element => {
      const { top, bottom } = element.getBoundingClientRect()
      return top > 0 && bottom <= innerHeight && document.documentElement.scrollHeight > 2 * innerHeight
    })
  t.ok(await isOnScreen())
  await photograph(page, 'failed-previous-page')
  await repair()
  await button(alert, 'Try again').click()
  await alert.waitFor({ state: 'detached' })
  await page.mouse.wheel(0, -20_000)
  await page.getByRole('link', { name: 'Lamp' }).waitFor()
})

t.test('an undo names no number before it is known', needs('chromium'), async t => {
  const { page, go } = await openAs(t)
  await go('#/import')
  await dropFile(page, 'beds.csv', 'name;Made in\nBed;Norway\n')
  await button(page, 'Import 1 row').click()
  await page.getByText('1 template created').waitFor()
  const repair = await fail(page, 'query Undoable')
  await go('#/bulk-changes')
  await button(page, 'Undo Created 1 template').click()
  await dialog(page).getByRole('alert').getByText('Later changes could not be read.').waitFor()
  t.equal(await button(dialog(page), 'Undo').count(), 1)
  await repair()
  await button(dialog(page), 'Try again').click()
  await dialog(page).getByText('All can be undone.').waitFor()
  await button(dialog(page), 'Undo 1 change').waitFor()
})
