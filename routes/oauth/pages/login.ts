import type { Target } from '../authorize/request.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'

/** What the forms of a page send besides the answer of the user. */
export interface Hidden {
  csrf: string
  /** The request that the page is about. */
  parameters: [name: string, value: string][]
}

export const hiddenFields = ({ csrf, parameters }: Hidden): Html[] =>
  [['csrf', csrf] as const, ...parameters].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`
  )

export const clientName = ({ client }: Target): string => client.displayName || client.id

/** Asks for an e-mail address and a password. `problem` says why the last ones were refused. */
export const loginPage = (target: Target, hidden: Hidden, problem?: string): string =>
  page(
    'Log in',
    html`<p>to continue to <strong>${clientName(target)}</strong></p>
${problem !== undefined && html`<p role="alert">${problem}</p>`}
<form method="post" action="authorize">
${hiddenFields(hidden)}
<label>E-mail address
<input name="username" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" required></label>
<div class="actions">
<button class="primary" name="decision" value="login">Log in</button>
<button name="decision" value="cancel" formnovalidate>Cancel</button>
</div>
</form>`
  )
