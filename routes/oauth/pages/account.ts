import type { StoredUser } from '../../../db/accounts/users.ts'
import type { Role } from '../../../domain/rights.ts'
import { entry, form, formatDay, formatTime, type Html, html, type PageScript, page } from './layout.ts'

/** The contents of the account page. */
interface Account {
  user: StoredUser
  consents: { clientId: string; scopes: string[] }[]
  /** The parts of features, and their scripts. */
  sections: Html[]
  scripts: PageScript[]
  sessions: { hash: string; browser: string; timeCreated: string; timeUsed: string }[]
  /** `hash` of the session of this browser. */
  here: string
  /** The logins of applications. */
  logins: { id: string; clientId: string; clientName: string; timeCreated: string }[]
  csrf: string
  hasPassword: boolean
  notice: Notice | undefined
  hasExplorer: boolean
}

/** A message at the top of the page. */
export interface Notice {
  text: string
  isProblem?: boolean
}

const rolesInWords: Record<Role, string> = {
  reader: 'You may read product templates.',
  editor: 'You may read and change product templates.',
  publisher: 'You may read, change, publish and delete product templates.',
  admin: 'You may do everything with product templates, and manage users and clients.'
}

export const accountPage = (account: Account): string => {
  const { user, csrf, sections, scripts, hasPassword, notice, hasExplorer } = account
  return page(
    'Your account',
    html`${hasExplorer && html`<p><a href="../">Back to the templates</a></p>`}
${notice && html`<p role="${notice.isProblem ? 'alert' : 'status'}">${notice.text}</p>`}
<p><strong>${`${user.firstName} ${user.lastName}`.trim() || user.email}</strong>, ${user.email}. ${rolesInWords[user.role]}</p>
${hasPassword && html`<h2>Change the password</h2>${form('account', { csrf }, passwordFields(user))}`}
${sections}
${sessionSection(account)}
${applicationSection(account)}
<h2>Lost a device?</h2>
${form('account', { csrf }, html`<button name="decision" value="everywhere">Log out everywhere</button>`)}
${scripts.map(({ tag }) => tag)}`
  )
}

const passwordFields = ({ email }: StoredUser): Html => html`
<input type="hidden" name="username" autocomplete="username" value="${email}">
<label>Current password
<input name="current" type="password" autocomplete="current-password" required></label>
<label>New password
<input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
<div class="actions"><button class="primary" name="decision" value="password">Change</button></div>`

const sessionSection = ({ sessions, here, csrf }: Account): Html => html`<h2>Browsers</h2>
<p>You are logged in with:</p>
${sessions.map(({ hash, browser, timeCreated, timeUsed }) => {
  const isHere = hash === here && ', this one'
  return entry(
    { csrf, session: hash },
    html`<p><strong>${browser}</strong>${isHere}<br>Since ${formatDay(timeCreated)}<br>Last used ${formatTime(timeUsed)}</p>
<button name="decision" value="end-session" aria-label="Log out ${browser}${isHere}">Log out</button>`
  )
})}`

const applicationSection = ({ logins, consents, csrf }: Account): Html => html`<h2>Applications</h2>
${logins.length + consents.length === 0 && html`<p>No application uses your account.</p>`}
${logins.length > 0 && html`<p>These applications are logged in with your account. Logging out a browser does not log them out.</p>`}
${logins.map(({ id, clientId, clientName, timeCreated }) =>
  entry(
    { csrf, login: id },
    html`<p><strong>${clientName || clientId}</strong><br>Since ${formatDay(timeCreated)}</p>
<button name="decision" value="end-login" aria-label="Log out ${clientName || clientId}">Log out</button>`
  )
)}
${consents.length > 0 && html`<p>You have allowed these applications to use your account:</p>`}
${consents.map(({ clientId, scopes }) =>
  entry(
    { csrf, client: clientId },
    html`<p><strong>${clientId}</strong>: ${scopes.join(', ')}</p>
<button name="decision" value="revoke" aria-label="Revoke the access of ${clientId}">Revoke</button>`
  )
)}`

export const noAccountPage = (
  text = 'You are not logged in here. Log in to an application first, then open this page again.'
): string => page('Your account', html`<p role="status">${text}</p>`)

export const passwordPage = (token: string, email: string, weakness?: string): string =>
  page(
    'Choose a password',
    html`<p>for <strong>${email}</strong></p>
${weakness !== undefined && html`<p role="alert">${weakness}.</p>`}
${form('password', { token }, newPasswordFields(email))}`
  )

const newPasswordFields = (email: string): Html => html`
<input type="hidden" name="username" autocomplete="username" value="${email}">
<label>New password
<input name="password" type="password" autocomplete="new-password" minlength="12" required autofocus></label>
<div class="actions"><button class="primary">Save</button></div>`

/** If there is an explorer, a button leads to it. The explorer asks for the login. */
export const passwordSetPage = (email: string, hasExplorer: boolean): string =>
  page(
    'Your password is set',
    hasExplorer
      ? html`<p>Log in with <strong>${email}</strong>.</p>
<div class="actions"><a class="button primary" href="../">Log in</a></div>`
      : html`<p>Log in with <strong>${email}</strong> at your application.</p>`
  )

export const invalidLinkPage = (): string =>
  page(
    'This link does not work',
    html`<p>The link was used, is older than a day, or ended because your password was changed or you were logged out everywhere. Ask for a new link.</p>`
  )
