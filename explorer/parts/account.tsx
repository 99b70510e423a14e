import { client, mayWrite, service, userName } from '../api.ts'

/** Who is logged in, and the way out. */
export function Account() {
  const [first, last] = userName()
  const name = `${first} ${last}`.trim() || 'You'
  const initials = (first.slice(0, 1) + last.slice(0, 1)).toUpperCase() || '·'
  return (
    <details class="account">
      <summary>
        {initials}
        <span class="hidden-visually">, account of {name}</span>
      </summary>
      <div class="menu card">
        <strong>{name}</strong>
        <span class="muted">{mayWrite() ? 'May read and change templates' : 'May read templates'}</span>
        <button type="button" class="button" onClick={leave}>
          Log out
        </button>
      </div>
    </details>
  )
}

/** Ends the access of this page, then the login of the browser, for which the service asks. */
async function leave(): Promise<void> {
  await client.logout().catch(() => {})
  location.assign(`${service.href}oauth/logout`)
}
