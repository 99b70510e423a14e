import { render } from 'preact'
import './tokens.css'
import './base.css'
import { finishLogin, isLoggedIn, issuer, logIn, service } from './api.ts'
import { App } from './app.tsx'
import { refreshPlace } from './place.ts'

const root = document.querySelector('#app') as HTMLElement

/** Without a login, the login page comes first and redirects back. */
async function start(): Promise<void> {
  const wanted = new URL(`${issuer}/`)
  if (wanted.href !== service.href) return openAt(wanted)
  if (!crypto.subtle) return fail('The explorer needs https, or a service on this machine.')
  await finishLogin()
  refreshPlace()
  if (isLoggedIn()) render(<App />, root)
  else await logIn()
}

const fail = (problem: string) => render(<LoginFailed problem={problem} />, root)

/** The login redirects to `ISSUER`, so the page must be open at that address. */
function openAt(wanted: URL): void {
  const isHere = (name: string) => ['localhost', '127.0.0.1', '[::1]'].includes(name)
  if (isHere(wanted.hostname) && isHere(location.hostname)) location.replace(wanted.href + location.hash)
  else
    fail(
      `This service calls itself ${issuer}, not ${service.href}. Set ISSUER to the address in the browser.`
    )
}

/** The page after a failed login. */
function LoginFailed({ problem }: { problem: string }) {
  return (
    <main class="login-failed card">
      <h1>You are not logged in</h1>
      <p class="muted">{problem}</p>
      <button type="button" class="button primary" onClick={() => logIn()}>
        Log in
      </button>
    </main>
  )
}

start().catch(error => fail(error instanceof Error ? error.message : String(error)))
