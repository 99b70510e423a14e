// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/**
 * The page for imports in a real browser: what it says about rows that the user may not write, before it writes
 * anything.
 */
import { readFile } from 'node:fs/promises'
import { t } from 'tap'
import { users } from '../../../../store.ts'
import { button, openAs } from '../../../../test/explorer/administer.ts'
import { findBarriers, photograph } from '../../../../test/explorer/browse.ts'
import { needs } from '../../../../test/support/programs.ts'
import { addTemplates, storedTemplates, user } from '../../../../test/support/service/service.ts'
import { dropFile } from './drop.ts'

const rule = { and: [{ or: [{ trait: { type: 'Region', equals: 'Portugal' } }] }] }
const madeIn = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Region', value }] })
const notTheirs = 'left out: your account may not write a template with these values'

t.test('rows outside the rule are told, left out and saved with the reason', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t, 'publisher')
  await addTemplates(db, { id: 2, name: 'Tile', data: madeIn('Portugal') })
  await users.update(db, user.email, { where: rule })
  await page.reload()
  const stored = async () => (await storedTemplates(db)).map(({ id, name }) => `${id} ${name}`).toSorted()
  await go('#/import')
  await dropFile(page, 'shop.csv', 'name;Region\nTile;Spain\nCork;Portugal\nFan;Spain\n;Portugal\n')
  await page.getByRole('button', { name: '2 you may not write' }).click()
  const rows = page.locator('tr.forbidden')
  t.same(await rows.locator('.number').allInnerTexts(), ['2', '4'])
  t.same(await rows.locator('.what').allInnerTexts(), [notTheirs, notTheirs])
  await page.getByText('2 rows are left out, because you may not write them.').waitFor()
  await page.getByText('Your account is limited to templates that match: “Region: Portugal”.').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'import-forbidden')
  await page.getByLabel('Skip the 1 wrong row').check()
  await button(page, 'Import 1 row').click()
  await page.getByText('1 template created, 0 changed, 3 rows skipped').waitFor()
  t.same(await stored(), ['1 Lamp', '2 Tile', '3 Cork'])

  const download = page.waitForEvent('download')
  await button(page, 'Save the skipped rows').click()
  const skipped = await readFile(await (await download).path(), 'utf8')
  const reason = notTheirs.replace('left out: ', '')
  t.match(skipped, `Tile,Spain,${reason}\r\nFan,Spain,${reason}\r\n`)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await dropFile(page, 'shop-skipped.csv', skipped.replace('Fan,Spain', 'Fan,Portugal'))
  await page.getByRole('button', { name: '1 you may not write' }).waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'import-forbidden-narrow-dark')
  await page.getByLabel('Skip the 1 wrong row').check()
  await button(page, 'Import 1 row').click()
  await page.getByText('1 template created').waitFor()
  t.same(await stored(), ['1 Lamp', '2 Tile', '3 Cork', '4 Fan'])
  t.same(complaints, [])
})

t.test('an id that the rule hides, and more rows than one request', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t, 'editor')
  await users.update(db, user.email, { where: rule })
  const record = (index: number) => ({
    ...{ name: `Tile ${index}`, blockchainId: 1, maxItems: 1 },
    ...(index === 0 && { id: 1 }),
    publicProduct: index === 1,
    data: madeIn(index === 1050 ? 'Spain' : 'Portugal')
  })
  await go('#/import')
  const lines = Array.from({ length: 1100 }, (_, index) => JSON.stringify(record(index)))
  await dropFile(page, 'tiles.ndjson', lines.join('\n'))
  await page.getByRole('button', { name: '3 you may not write' }).click()
  t.same(await page.locator('tr.forbidden').allInnerTexts(), [
    '1\tleft out: another template has this id, and your account may not see it\tTile 0',
    '2\tleft out: only a publisher can make a template public or not public, or use the id of a deleted public one\tTile 1',
    `1051\t${notTheirs}\tTile 1050`
  ])
  await button(page, 'Import 1,097 rows').click()
  await page.getByText('1,097 templates created, 0 changed, 3 rows skipped').waitFor()
  t.equal((await storedTemplates(db)).length, 1098)
  t.same(complaints, [])
})

t.test('a preview that took too long is tried again', needs('chromium'), async t => {
  const { page, go } = await openAs(t, 'editor')
  let isSlow = true
  const message = 'the operation took longer than 10 seconds'
  await page.route('**/graphql', route =>
    isSlow && route.request().postDataJSON().query.startsWith('mutation MayImport')
      ? route.fulfill({ json: { data: null, errors: [{ message, extensions: { code: 'TIMEOUT' } }] } })
      : route.continue()
  )
  await go('#/import')
  await dropFile(page, 'shop.csv', 'name;Region\nTile;Spain\nCork;Portugal\n')
  await page.getByText(`The service refused this: ${message}.`).waitFor()
  isSlow = false
  await button(page, 'Try again').click()
  await button(page, 'Import 2 rows').click()
  await page.getByText('2 templates created').waitFor()
  t.equal(await button(page, 'Try again').count(), 0)
})
