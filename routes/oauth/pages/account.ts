import type { Role } from '../../../db/accounts/roles.ts'
import type { StoredUser } from '../../../db/accounts/users.ts'
import { formatDay, formatTime, type Html, html, page } from './layout.ts'
import { type PasskeyList, passkeyScript, passkeySection } from './passkeys.ts'

/** What the page of an account shows. */
export interface Account {
  user: StoredUser
  consents: { clientId: string; scopes: string[] }[]
  /** undefined if PASSKEYS is off. */
  passkeys: PasskeyList['passkeys'] | undefined
  newPasskey: Pick<PasskeyList, 'newName' | 'asksPassword'>
  sessions: { hash: string; browser: string | null; timeCreated: string; timeUsed: string }[]
  /** `hash` of the session of this browser. */
  here: string
  /** The logins of applications. */
  logins: { id: string; clientId: string; clientName: string; timeCreated: string }[]
  csrf: string
  hasPassword: boolean
  /** A message at the top of the page. */
  notice: { text: string; isProblem?: boolean } | undefined
}

const rolesInWords: Record<Role, string> = {
  reader: 'You may read product templates.',
  editor: 'You may read and change product templates.',
  publisher: 'You may read, change, publish and delete product templates.',
  admin: 'You may do everything with product templates, and manage users and clients.'
}

export const accountPage = (account: Account): string => {
  const { user, passkeys, hasPassword, notice } = account
  const hidden = html`<input type="hidden" name="csrf" value="${account.csrf}">`
  return page(
    'Your account',
    html`${notice && html`<p role="${notice.isProblem ? 'alert' : 'status'}">${notice.text}</p>`}
<p><strong>${`${user.firstName} ${user.lastName}`.trim() || user.email}</strong>, ${user.email}. ${rolesInWords[user.role]}</p>
${hasPassword && passwordSection(user, hidden)}
${passkeys && passkeySection({ passkeys, ...account.newPasskey, hidden })}
${sessionSection(account, hidden)}
${applicationSection(account, hidden)}
<h2>Lost a device?</h2>
<form method="post" action="account">
${hidden}
<button name="decision" value="everywhere">Log out everywhere</button>
</form>
${passkeys && passkeyScript.tag}`
  )
}

const passwordSection = ({ email }: StoredUser, hidden: Html): Html => html`<h2>Change the password</h2>
<form method="post" action="account">
${hidden}
<input type="hidden" name="username" autocomplete="username" value="${email}">
<label>Current password
<input name="current" type="password" autocomplete="current-password" required></label>
<label>New password
<input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
<div class="actions"><button class="primary" name="decision" value="password">Change</button></div>
</form>`

const sessionSection = ({ sessions, here }: Account, hidden: Html): Html => html`<h2>Browsers</h2>
<p>You are logged in with:</p>
${sessions.map(({ hash, browser, timeCreated, timeUsed }) => {
  const name = browser ?? 'An unknown browser'
  return html`<form method="post" action="account" class="entry">
${hidden}
<input type="hidden" name="session" value="${hash}">
<p><strong>${name}</strong>${hash === here && ', this one'}<br>Since ${formatDay(timeCreated)}<br>Last used ${formatTime(timeUsed)}</p>
<button name="decision" value="end-session" aria-label="Log out ${name}${hash === here && ', this one'}">Log out</button>
</form>
`
})}`

const applicationSection = ({ logins, consents }: Account, hidden: Html): Html => html`<h2>Applications</h2>
${logins.length + consents.length === 0 && html`<p>No application uses your account.</p>`}
${logins.length > 0 && html`<p>These are logged in with your account. To log out a browser does not end that.</p>`}
${logins.map(
  ({ id, clientId, clientName, timeCreated }) => html`<form method="post" action="account" class="entry">
${hidden}
<input type="hidden" name="login" value="${id}">
<p><strong>${clientName || clientId}</strong><br>Since ${formatDay(timeCreated)}</p>
<button name="decision" value="end-login" aria-label="Log out ${clientName || clientId}">Log out</button>
</form>
`
)}
${consents.length > 0 && html`<p>You have allowed these to use your account:</p>`}
${consents.map(
  ({ clientId, scopes }) => html`<form method="post" action="account" class="entry">
${hidden}
<input type="hidden" name="client" value="${clientId}">
<p><strong>${clientId}</strong>: ${scopes.join(', ')}</p>
<button name="decision" value="revoke" aria-label="Take back what ${clientId} may do">Take back</button>
</form>
`
)}`

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
