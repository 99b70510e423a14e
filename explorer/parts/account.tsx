import { useEffect, useRef } from 'preact/hooks'
import { client, email, mayWrite, role, service, userName } from '../api.ts'
import { readViewer } from '../requests.ts'
import { hrefOf, route } from '../route.ts'
import { ThemeSwitch } from './theme.tsx'
import { busy, useBusy } from './use-busy.ts'

const roles: Record<string, string> = {
  reader: 'Reader',
  editor: 'Editor: cannot publish or delete',
  publisher: 'Publisher',
  admin: 'Administrator'
}

/** The menu with the user's name and the logout. */
export function Account() {
  const [first, last] = userName()
  const name = `${first} ${last}`.trim() || email.value || 'You'
  useEffect(() => {
    readViewer().catch(() => {})
  }, [])
  const menu = useRef<HTMLDetailsElement>(null)
  const page = route.value.path.join('/')
  // It would cover the next page.
  useEffect(() => menu.current?.removeAttribute('open'), [page])
  const [isBusy, runOnce] = useBusy()
  const initials = first || last ? [first, last] : [email.value]
  return (
    <details ref={menu} class="account">
      <summary>
        {initials.map(text => [...text][0]?.toUpperCase())}
        <span class="hidden-visually">, account of {name}</span>
      </summary>
      <div class="menu card">
        <strong>{name}</strong>
        <span class="muted">
          {roles[role.value ?? ''] ?? (mayWrite() ? 'May read and change templates' : 'May read templates')}
        </span>
        <ThemeSwitch />
        <a href={hrefOf(['bulk-changes'])}>Imports and bulk changes</a>
        <a href={hrefOf(['deleted'])}>Deleted templates</a>
        <a href={`${service.href}oauth/account`}>Password and applications</a>
        <button type="button" class="button" {...busy(isBusy)} onClick={() => runOnce(leave)}>
          Log out
        </button>
      </div>
    </details>
  )
}

/** Revokes the tokens of this page, then goes to the logout of the login page. */
async function leave(): Promise<void> {
  await client.logout().catch(() => {})
  location.assign(`${service.href}oauth/logout`)
}
