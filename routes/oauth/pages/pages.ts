import { isDescribed } from '../../../accounts/clients.ts'
import type { RedirectTarget } from '../authorize/request.ts'
import type { Form } from '../parameters.ts'
import { createScript, form, type Html, html, type PageScript, page } from './layout.ts'

const clientName = ({ client }: RedirectTarget): string => client.displayName || client.id

export interface LoginMethods {
  hasPassword: boolean
  /** Other ways, with their parts of the page. */
  methods: { part: Html; script?: PageScript }[]
}

/** The script that shows and hides the password. Its button is hidden unless the script runs. */
export const showPassword = createScript(
  'show-password.js',
  `const field = document.querySelector('#password')
const button = document.querySelector('#show')
const show = shown => {
  field.type = shown ? 'text' : 'password'
  button.textContent = shown ? 'Hide' : 'Show'
}
button.hidden = false
button.onclick = () => show(field.type === 'password')
// Browsers remember the contents of text fields.
field.form.addEventListener('submit', () => show(false))
`
)

/** The scripts of the login page. */
export const loginScripts = ({ hasPassword, methods }: LoginMethods): PageScript[] => [
  ...(hasPassword ? [showPassword] : []),
  ...methods.flatMap(({ script }) => script ?? [])
]

/** Makes the login page. After a refused login, it has the typed address and the reason. */
export const loginPage = (
  target: RedirectTarget,
  hidden: Form,
  ways: LoginMethods,
  { email = '', problem }: { email: string | undefined; problem: string | undefined }
): string => {
  const { hasPassword, methods } = ways
  const answer = html`${hasPassword && passwordFields(email)}
<div class="actions">
${hasPassword && html`<button class="primary" name="decision" value="login">Log in</button>`}
<button name="decision" value="cancel" formnovalidate>Cancel</button>
</div>
${methods.map(({ part }) => part)}`
  return page(
    'Log in',
    html`<p>to continue to <strong>${clientName(target)}</strong></p>
${problem !== undefined && html`<p role="alert">${problem}</p>`}
${isDescribed(target.client.id) && returnNotice(target)}
${form('authorize', hidden, answer)}
${loginScripts(ways).map(({ tag }) => tag)}`
  )
}

const passwordFields = (email: string) => html`<label>E-mail address
<input name="username" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${email}"${email === '' && focused}></label>
<label for="password">Password</label>
<div class="password">
<input id="password" name="password" type="password" autocomplete="current-password" required${email !== '' && focused}>
<button type="button" id="show" aria-controls="password" hidden>Show</button>
</div>`

const focused = html` autofocus`

const scopesInWords: Record<string, string> = {
  read: 'Read product templates',
  write: 'Create, change and delete product templates',
  profile: 'Read your name, country, mobile number and wallet addresses',
  openid: 'Know who you are',
  email: 'Read your e-mail address',
  admin: 'Manage users, clients and what they may do'
}

/** Makes the page that asks the user whether a client may have the requested scopes. */
export const consentPage = (
  target: RedirectTarget,
  hidden: Form,
  { email, scopes }: { email: string; scopes: string[] }
): string =>
  page(
    'Allow access?',
    html`<p><strong>${clientName(target)}</strong> asks to use your account <strong>${email}</strong>:</p>
<ul>
${scopes.map(scope => html`<li>${scopesInWords[scope] ?? scope}</li>`)}
</ul>
${isDescribed(target.client.id) && html`<p role="alert">${unknownClient(target)}</p>`}
${returnNotice(target)}
${form('authorize', hidden, consentButtons)}`
  )

const returnNotice = ({ redirectUri }: RedirectTarget) =>
  html`<p>You will return to <strong>${describeTarget(redirectUri)}</strong>.</p>`

const consentButtons = html`<div class="actions">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="cancel">Cancel</button>
</div>
<p></p>
<button class="link" name="decision" value="switch">Use another account</button>`

/** The warning for a client that nobody has registered. */
const unknownClient = ({ client }: RedirectTarget): string =>
  `This application is not registered here. Its name comes from ${new URL(client.id).host}. Continue only if you have just opened it.`

/**
 * Returns the host that gets the code. For an app, returns the scheme, because the part after its scheme is not a host.
 */
function describeTarget(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : `the app ${protocol.slice(0, -1)}`
}

const logoutButton = html`<div class="actions"><button class="primary" name="decision" value="logout">Log out</button></div>`

export const askLogoutPage = (email: string, csrf: string): string =>
  page(
    'Log out?',
    html`<p>You are logged in as <strong>${email}</strong>.</p>
${form('logout', { csrf }, logoutButton)}`
  )

export const loggedOutPage = (): string =>
  page('You are logged out', html`<p>Applications keep their access until it expires or is revoked.</p>`)

/** Makes the page for a form that is older than the browser's login. `path` is that of a new form. */
export const oldFormPage = (path: string): string =>
  page(
    'This form has expired',
    html`<p role="alert">You have logged in or out in another tab, or your browser keeps no cookies. Nothing was done.</p>
<p><a href="${path}">Continue</a></p>`
  )
