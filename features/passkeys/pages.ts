import {
  createScript,
  entry,
  form,
  formatDay,
  formatTime,
  type Html,
  html
} from '../../routes/oauth/pages/layout.ts'

/**
 * The script of the passkey button. It asks the service for a challenge and the device for the answer, and sends the
 * answer in the button's form. The element around the button stays hidden if the browser has no passkeys.
 */
export const passkeyScript = createScript(
  'passkeys.js',
  `const button = document.querySelector('#passkey')
const { form } = button
const { csrf, current, credential } = form.elements
const adds = button.value === 'add-passkey'
const say = text => {
  document.querySelector('#passkey-problem').textContent = text
}
const problems = {
  NotAllowedError: 'The passkey was not used.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys do not work at this address.'
}

async function answer() {
  const fields = { csrf: csrf.value, decision: button.value, current: current?.value ?? '' }
  const response = await fetch('passkey', { method: 'POST', body: new URLSearchParams(fields) })
  const { problem, options } = await response.json()
  if (problem) return say(problem)
  const made = adds
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  credential.value = JSON.stringify(made)
}

button.onclick = async event => {
  event.preventDefault()
  if (adds && !form.reportValidity()) return
  say('')
  credential.value = ''
  button.disabled = true
  await answer().catch(({ name }) => say(problems[name] ?? 'This did not work. Reload the page, and try again.'))
  button.disabled = false
  if (credential.value !== '') form.requestSubmit(button)
}
if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) button.closest('[hidden]').hidden = false
`,
  { fetches: true }
)

/** The fields that the script uses, in a form with `csrf`. */
const answerFields = html`<input type="hidden" name="credential">
<p role="alert" id="passkey-problem"></p>`

/** The part of the login form for passkeys. */
export const passkeyLogin = html`<button class="wide" id="passkey" name="decision" value="passkey" formnovalidate hidden>Log in with a passkey</button>
${answerFields}`

interface PasskeyList {
  passkeys: { id: string; name: string; timeCreated: string; timeUsed: string | null }[]
  /** The proposed name of a new passkey. */
  newName: string
  /** Whether the user must type the password to add a passkey. */
  asksPassword: boolean
  csrf: string
}

/** Makes the part of the account page that lists and adds passkeys. */
export const passkeySection = ({ passkeys, csrf, ...added }: PasskeyList): Html =>
  html`<h2>Passkeys</h2>
<p>With a passkey, you log in with your fingerprint, your face or the PIN of your device.</p>
${passkeys.map(({ id, name, timeCreated, timeUsed }) =>
  entry(
    { csrf, passkey: id },
    html`<p><strong>${name}</strong><br>Added ${formatDay(timeCreated)}<br>${timeUsed === null ? 'Never used' : html`Last used ${formatTime(timeUsed)}`}</p>
<button name="decision" value="delete-passkey" aria-label="Delete ${name}">Delete</button>`
  )
)}
${form('account', { csrf }, newPasskeyFields(added), html` hidden`)}
<noscript><p>Adding a passkey needs JavaScript.</p></noscript>`

const newPasskeyFields = ({ newName, asksPassword }: Pick<PasskeyList, 'newName' | 'asksPassword'>) =>
  html`<label>Name of a new passkey
<input name="name" type="text" autocomplete="off" maxlength="50" required value="${newName}"></label>
${
  asksPassword &&
  html`<label>Current password
<input name="current" type="password" autocomplete="current-password" required></label>`
}
${answerFields}
<button id="passkey" name="decision" value="add-passkey">Add a passkey</button>`
