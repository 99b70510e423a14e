import type { Locator } from 'playwright-core'

/** Selects what a field has, and types over it. */
export async function typeOver(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.press('ControlOrMeta+a')
  await field.press('Backspace')
  await field.pressSequentially(text)
}

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
