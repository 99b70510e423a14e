import { useEffect } from 'preact/hooks'
import { client, mayWrite, role, service, userName } from '../api.ts'
import { readRole } from '../requests.ts'
import { hrefOf } from '../route.ts'
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
  const name = `${first} ${last}`.trim() || 'You'
  useEffect(() => {
    readRole().catch(() => {})
  }, [])
  const [isBusy, runOnce] = useBusy()
  const initials = (first.slice(0, 1) + last.slice(0, 1)).toUpperCase() || '·'
  return (
    <details class="account">
      <summary>
        {initials}
        <span class="hidden-visually">, account of {name}</span>
      </summary>
      <div class="menu card">
        <strong>{name}</strong>
        <span class="muted">
          {roles[role.value ?? ''] ?? (mayWrite() ? 'May read and change templates' : 'May read templates')}
        </span>
        <a href={hrefOf(['operations'])} onClick={closeMenu}>
          Imports and bulk changes
        </a>
        <a href={hrefOf(['deleted'])} onClick={closeMenu}>
          Deleted templates
        </a>
        <a href={`${service.href}oauth/account`}>Password and applications</a>
        <button type="button" class="button" {...busy(isBusy)} onClick={() => runOnce(leave)}>
          Log out
        </button>
      </div>
    </details>
  )
}

/** Closes the menu, because the link leads to another part of the same page. */
const closeMenu = ({ currentTarget }: { currentTarget: HTMLElement }) => {
  const menu = currentTarget.closest('details')
  if (menu) menu.open = false
}

/** Revokes the tokens of this page, then goes to the logout of the login page. */
async function leave(): Promise<void> {
  await client.logout().catch(() => {})
  location.assign(`${service.href}oauth/logout`)
}
