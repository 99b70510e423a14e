import type { Locator, Page } from 'playwright-core'

/** Selects what a field has, and types over it. */
export async function typeOver(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.press('ControlOrMeta+a')
  await field.press('Backspace')
  await field.pressSequentially(text)
}

/** Waits until the edited cells of the table are saved. They show what was typed before. */
export const waitUntilSaved = (page: Page) =>
  page.waitForFunction(() => document.querySelector('.table .saving') === null)

/** The text that a field names as its description. */
export const noteOf = (field: Locator) =>
  field.evaluate(element =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map(id => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim()
  )

/** The same, if the field is marked as wrong. */
export const problemOf = async (field: Locator) =>
  (await field.getAttribute('aria-invalid')) === 'true' ? await noteOf(field) : ''
