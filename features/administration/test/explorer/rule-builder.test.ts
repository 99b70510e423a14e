// Runs on SQLite only, in test:all only: the page only uses the API, which other tests use on both engines.
/** An administrator chooses the templates that a person sees, with the filters of the gallery, in a real browser. */
import { t } from 'tap'
import { findUser } from '../../../../accounts/users.ts'
import { button, dialog, openAs, takeSecret } from '../../../../test/explorer/administer.ts'
import { findBarriers, photograph } from '../../../../test/explorer/browse.ts'
import { needs } from '../../../../test/support/programs.ts'
import { addTemplates } from '../../../../test/support/service/service.ts'

const data = (country: string, price: number) =>
  JSON.stringify({
    attributes: [
      { trait_type: 'MadeIn', value: country },
      { trait_type: 'Price', value: price }
    ]
  })

t.test('a rule is chosen with the filters, with what the person will see', needs('chromium'), async t => {
  const { db, page, complaints, go } = await openAs(t)
  await addTemplates(
    db,
    ...Array.from({ length: 20 }, (_, at) => ({
      ...{ id: 10 + at, name: `Tent ${at}`, data: data(at < 8 ? 'Norway' : 'Japan', at * 10) }
    }))
  )
  await go('#/admin/people')
  await button(page, 'Invite').click()
  await dialog(page).getByLabel('E-mail address').fill('eve@example.com')
  await page.getByText('21 of 21 templates').waitFor()
  await button(page, 'Choose with filters…').click()
  const filters = page.locator('.filter-dialog')
  await filters.getByLabel(/^Norway/).check()
  await filters.getByText('8 of 21 templates').waitFor()
  await filters.getByLabel('Price, from').fill('20')
  await filters.getByLabel('Price, from').press('Enter')
  await filters.getByText('6 of 21 templates').waitFor()
  t.same(await findBarriers(page), [])
  await photograph(page, 'rule-builder')
  const hasPlace = await filters
    .locator('.histogram')
    .first()
    .evaluate(({ clientWidth, childElementCount: bars }) => clientWidth - 15 >= 24 * bars)
  t.ok(hasPlace, 'the bars leave place for a scroll bar')
  await page.setViewportSize({ width: 680, height: 900 })
  await photograph(page, 'rule-builder-680')
  const scrolling = await filters.evaluate(dialog =>
    [dialog, ...dialog.querySelectorAll('*')]
      .filter(element => getComputedStyle(element).overflowY === 'auto')
      .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)
      .map(({ className }) => className)
  )
  t.same(scrolling, ['columns'], 'one scroll bar')
  await page.setViewportSize({ width: 1360, height: 900 })
  await button(page, 'Use these filters').click()
  await filters.waitFor({ state: 'detached' })
  await dialog(page).locator('.pill', { hasText: 'Made in: Norway' }).waitFor()
  await button(page, 'Make the link').click()
  await takeSecret(page)
  const { where } = (await findUser(db, 'eve@example.com')) ?? {}
  t.same(where, {
    and: [{ or: [{ trait: { type: 'MadeIn', equals: 'Norway' } }] }, { trait: { type: 'Price', gte: 20 } }]
  })

  await page.reload()
  await page.locator('.pill', { hasText: 'Price: 20 or more' }).waitFor()
  await page.getByText('See as this person: 6 of 21 templates').click()
  t.equal(await page.getByRole('list', { name: 'The latest of them' }).locator('li').count(), 6)
  t.same(await findBarriers(page), [])
  await photograph(page, 'see-as')
  await button(page, 'Choose with filters…').click()
  t.ok(await filters.getByLabel(/^Norway/).isChecked(), 'the filters begin with the rule')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  t.equal(
    await page.evaluate('document.documentElement.scrollWidth'),
    360,
    'nothing is wider than the screen'
  )
  t.same(await findBarriers(page), [])
  await photograph(page, 'rule-builder-narrow-dark')
  await button(page, 'Cancel').click()
  await page.setViewportSize({ width: 1360, height: 900 })
  await page.getByText('As JSON', { exact: true }).click()
  await page.getByLabel('Rule as JSON').fill('{"id":{"in":[10,11]}}')
  await page.getByText('A filter that was written by hand.').waitFor()
  await page.getByText('2 of 21 templates').waitFor()
  const since = { trait: { type: 'Since', date: { gte: '2026-03-01' } } }
  await page.getByLabel('Rule as JSON').fill(JSON.stringify({ and: [since] }))
  await page.locator('.pill', { hasText: 'Since: Mar 1, 2026 or later' }).waitFor()
  await page.getByLabel('Rule as JSON').fill('{"nothing":1}')
  await page.getByText('The service does not understand this filter.').waitFor()
  await go('#/')
  await page.getByLabel(/^Japan/).check()
  await page.waitForURL(/trait\.MadeIn/)
  t.same(
    complaints.filter(text => !text.includes('400')),
    [],
    'the gallery filters itself again'
  )
})
