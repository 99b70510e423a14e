import { html } from './html.ts'
import { page } from './layout.ts'

export const askLogoutPage = (email: string, csrf: string): string =>
  page(
    'Log out?',
    html`<p>You are logged in as <strong>${email}</strong>.</p>
<form method="post" action="logout">
<input type="hidden" name="csrf" value="${csrf}">
<div class="actions"><button class="primary" name="decision" value="logout">Log out</button></div>
</form>`
  )

export const loggedOutPage = (): string =>
  page('You are logged out', html`<p>Applications keep the access they have until it ends or is revoked.</p>`)
