import { render, type VNode } from 'preact'
import { Button } from './ui/button.tsx'
import './tokens.css'
import './base.css'
import { finishLogin, isLoggedIn, issuer, logIn, service } from './api.ts'
import { refreshRoute } from './route.ts'
import { keepPlace } from './ui/keep-place.ts'
import { Lazy } from './ui/lazy.tsx'

const root = document.querySelector('#app') as HTMLElement

/** Without a login, the login page comes first and redirects back. */
async function start(): Promise<void> {
  const expected = new URL(`${issuer}/`)
  if (expected.href !== service.href) return openAtIssuer(expected)
  if (!crypto.subtle) return showFailure('The explorer needs https, or a service on this machine.')
  // The rest of the page comes meanwhile, unless the login comes first.
  if (isLoggedIn() || location.search !== '') loadApp().catch(() => {})
  await finishLogin()
  if (!isLoggedIn()) return logIn()
  refreshRoute()
  keepPlace(root)
  show(<Lazy load={loadApp} props={{}} />)
}

const loadApp = () => import('./app.tsx').then(({ App }) => App)

/** Shows the page instead of the text that it loads. */
function show(page: VNode): void {
  root.replaceChildren()
  render(page, root)
}

const showFailure = (problem: string) => show(<LoginFailed problem={problem} />)

/** The login redirects to `ISSUER`, so the page must be open at that address. */
function openAtIssuer(expected: URL): void {
  const isLocal = (name: string) => ['localhost', '127.0.0.1', '[::1]'].includes(name)
  if (isLocal(expected.hostname) && isLocal(location.hostname))
    location.replace(expected.href + location.hash)
  else
    showFailure(
      `This service calls itself ${issuer}, not ${service.href}. Set ISSUER to the address in the browser.`
    )
}

/** The page after a failed login. */
function LoginFailed({ problem }: { problem: string }) {
  return (
    <main class="login-failed stack card">
      <h1>You are not logged in</h1>
      <p class="muted">{problem}</p>
      <Button look="primary" onClick={() => logIn()}>
        Log in
      </Button>
    </main>
  )
}

start().catch(error => showFailure(error instanceof Error ? error.message : String(error)))
