// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** The page for administrators on small and large screens, light and dark. */
import { t } from 'tap'
import { findUserByEmail } from '../../../../db/accounts/users.ts'
import { users } from '../../../../store.ts'
import { button, dialog, doIt, openAs } from '../../../../test/explorer/administer.ts'
import { findBarriers, logIn, openPage, photograph } from '../../../../test/explorer/browse.ts'
import { needs } from '../../../../test/support/programs.ts'
import { addUser, client } from '../../../../test/support/service/service.ts'

/** The words of the table that stand on more than one line. */
const findBrokenWords = `[...document.querySelectorAll('.admin-table tbody :is(a, span, td, time)')]
  .flatMap(({ childNodes }) => [...childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE))
  .flatMap(text => [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = new Range()
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1
  }).map(String))`

t.test(
  'the page is for everybody: axe finds nothing, on small and large screens',
  needs('chromium'),
  async t => {
    const { browser, db, url } = await openAs(t)
    for (const [index, role] of (['reader', 'editor', 'publisher', 'admin'] as const).entries())
      await addUser(db, { email: `person-${index}@example.com`, firstName: 'Grace', lastName: role, role })
    const where = { componentName: { equals: 'TrackingRecord' } }
    await users.update(db, 'person-1@example.com', { where, country: 'Norway' })
    const id = (await findUserByEmail(db, 'person-1@example.com'))?.id
    const looks = [
      ['light', 1360],
      ['light', 820],
      ['dark', 360]
    ] as const
    for (const [colorScheme, width] of looks) {
      const viewport = { width, height: 900 }
      const { page, complaints } = await openPage(browser, `${url}/`, { colorScheme, viewport })
      await logIn(page)
      const look = async (name: string) => {
        t.same(await findBarriers(page), [], `${name} ${colorScheme} ${width}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
        t.notOk(wide, `${name} fits into ${width}`)
        const tab = await page.locator('.tabs [aria-current]').boundingBox()
        t.ok(tab && tab.x + tab.width <= width, `${name}: its tab is on the screen`)
        t.same(await page.evaluate(findBrokenWords), [], `${name}: no word of its table breaks at ${width}`)
        await photograph(page, `admin-${name}-${colorScheme}-${width}`)
      }
      const places = { people: 'admin', person: `admin/people/${id}`, clients: 'admin/clients' }
      const more = {
        client: `admin/clients/${client.id}`,
        providers: 'admin/providers',
        trail: 'admin/trail'
      }
      for (const [name, place] of Object.entries({ ...places, ...more })) {
        await page.goto(`${url}/#/${place}`)
        await page.locator('.admin > :is(table, section, .admin-list)').first().waitFor()
        await look(name)
      }
      await page.goto(`${url}/#/admin`)
      await button(page, 'Invite').click()
      await look('invite')
      await button(dialog(page), 'Cancel').click()
      await page.goto(`${url}/#/admin/people/${id}`)
      await button(page, 'Delete').click()
      await look('delete')
      await button(dialog(page), 'Cancel').click()
      // After the first link, somebody who has never logged in counts as invited.
      await doIt(page, width === 1360 ? 'Reset password' : 'New link', 'Make the link')
      await page.locator('.once[open]').waitFor()
      await look('link')
      t.same(complaints, [])
    }
  }
)
