import type { Role } from '../../../db/accounts/roles.ts'
import type { StoredUser } from '../../../db/accounts/users.ts'
import { html, page } from './layout.ts'

interface Account {
  user: StoredUser
  consents: { clientId: string; scopes: string[] }[]
  csrf: string
  hasPassword: boolean
  notice: { text: string; isProblem?: boolean } | undefined
}

const rolesInWords: Record<Role, string> = {
  reader: 'You may read product templates.',
  editor: 'You may read and change product templates.',
  publisher: 'You may read, change, publish and delete product templates.',
  admin: 'You may do everything with product templates, and manage users and clients.'
}

export const accountPage = ({ user, consents, csrf, hasPassword, notice }: Account): string => {
  const hidden = html`<input type="hidden" name="csrf" value="${csrf}">`
  return page(
    'Your account',
    html`${notice && html`<p role="${notice.isProblem ? 'alert' : 'status'}">${notice.text}</p>`}
<p><strong>${`${user.firstName} ${user.lastName}`.trim() || user.email}</strong>, ${user.email}. ${rolesInWords[user.role]}</p>
${
  hasPassword &&
  html`<h2>Change the password</h2>
<form method="post" action="account">
${hidden}
<input type="hidden" name="username" autocomplete="username" value="${user.email}">
<label>Current password
<input name="current" type="password" autocomplete="current-password" required></label>
<label>New password
<input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
<div class="actions"><button class="primary" name="decision" value="password">Change</button></div>
</form>`
}
<h2>Applications</h2>
${consents.length === 0 && html`<p>You have not allowed any application to use your account.</p>`}
${consents.map(
  ({ clientId, scopes }) => html`<form method="post" action="account">
${hidden}
<input type="hidden" name="client" value="${clientId}">
<p><strong>${clientId}</strong>: ${scopes.join(', ')}</p>
<button name="decision" value="revoke">Take back</button>
</form>
`
)}
<h2>Lost a device?</h2>
<form method="post" action="account">
${hidden}
<button name="decision" value="everywhere">Log out everywhere</button>
</form>`
  )
}

export const noAccountPage = (
  text = 'You are not logged in here. Log in at an application, and come back.'
): string => page('Your account', html`<p role="status">${text}</p>`)

export const passwordPage = (token: string, email: string, weakness?: string): string =>
  page(
    'Choose a password',
    html`<p>for <strong>${email}</strong></p>
${weakness !== undefined && html`<p role="alert">${weakness}.</p>`}
<form method="post" action="password">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
<label>New password
<input name="password" type="password" autocomplete="new-password" minlength="12" required autofocus></label>
<div class="actions"><button class="primary">Save</button></div>
</form>`
  )

export const passwordSetPage = (email: string): string =>
  page('Your password is set', html`<p>Log in with <strong>${email}</strong> at your application.</p>`)

export const deadLinkPage = (): string =>
  page(
    'This link does not work',
    html`<p>It was used, it is older than a day, or your password has changed since. Ask for another one.</p>`
  )
