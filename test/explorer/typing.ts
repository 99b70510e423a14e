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

/** The text that a field names as its description, if it is marked as wrong. */
export const problemOf = (field: Locator) =>
  field.evaluate(element => {
    const ids =
      element.getAttribute('aria-invalid') === 'true' ? element.getAttribute('aria-describedby') : ''
    return (ids ?? '')
      .split(' ')
      .map(id => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim()
  })
