import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client, email, mayWrite, role, service, userName } from '../api.ts'
import { readViewer } from '../requests.ts'
import { hrefOf, route } from '../route.ts'
import { Button } from './button.tsx'
import { Segments } from './segments.tsx'

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
  const initials = first || last ? [first, last] : [email.value]
  return (
    <details ref={menu} class="account">
      <summary class="initials">
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
        <Button onClick={leave}>Log out</Button>
      </div>
    </details>
  )
}

/** Revokes the tokens of this page, then goes to the logout of the login page. */
async function leave(): Promise<void> {
  await client.logout().catch(() => {})
  location.assign(`${service.href}oauth/logout`)
}

const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]')

/** The value of the meta element, and the label. */
const themes = { 'light dark': 'System', light: 'Light', dark: 'Dark' }
type Theme = keyof typeof themes

const theme = signal((meta?.content ?? 'light dark') as Theme)

/** A year. */
const maxAgeSeconds = 31_536_000

/** Applies a theme. The service reads the cookie, so that the next page begins with the right colours. */
function choose(next: Theme): void {
  theme.value = next
  if (meta) meta.content = next
  const age = next === 'light dark' ? 0 : maxAgeSeconds
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https
  document.cookie = `product_theme=${next}; Path=${service.pathname}; Max-Age=${age}; SameSite=Lax`
  dispatchEvent(new Event('themechange'))
}

/** The choice of the colours. */
const ThemeSwitch = () => (
  <Segments
    label="Colours"
    chosen={theme.value}
    choices={Object.entries(themes).map(([value, content]) => ({ value: value as Theme, content }))}
    onChoose={choose}
  />
)
