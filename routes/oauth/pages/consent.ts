import type { Target } from '../authorize/request.ts'
import { html } from './html.ts'
import { page } from './layout.ts'
import { clientName, type Hidden, hiddenFields } from './login.ts'

const scopesInWords: Record<string, string> = {
  read: 'Read product templates',
  write: 'Create, change and delete product templates',
  profile: 'Read your name, country, mobile number and wallet addresses'
}

/** Asks the user who is logged in whether a client may have what it asks for. */
export const consentPage = (
  target: Target,
  hidden: Hidden,
  { email, scopes }: { email: string; scopes: string[] }
): string =>
  page(
    'Allow access?',
    html`<p><strong>${clientName(target)}</strong> asks to use your account <strong>${email}</strong>:</p>
<ul>
${scopes.map(scope => html`<li>${scopesInWords[scope] ?? scope}</li>`)}
</ul>
<p>You will return to <strong>${hostOf(target.redirectUri)}</strong>.</p>
<form method="post" action="authorize">
${hiddenFields(hidden)}
<div class="actions">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="cancel">Cancel</button>
</div>
<p></p>
<button class="link" name="decision" value="switch">Use another account</button>
</form>`
  )

/** The host that gets the code. An app has a scheme instead; what looks like its host is none. */
function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : `the app ${protocol.slice(0, -1)}`
}
