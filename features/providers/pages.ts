import { html, page } from '../../routes/oauth/pages/layout.ts'

/** The button of a provider on the login page. */
export const providerButton = (decision: string, name: string) =>
  html`<button class="wide" name="decision" value="${decision}" formnovalidate>Log in with ${name}</button>
`

/** `again` is the address of a new attempt. */
export const loginFailedPage = (provider: string, again: string): string =>
  page(
    'You are not logged in',
    html`<p role="alert">${provider} has sent you back, but you have no access here: the login was cancelled, or you have no account.</p>
<p><a href="${again}">Try again</a></p>`
  )
