import { logIn } from './api.ts'
import './login-failed.css'

/** Shown instead of everything else when nobody is logged in. */
export function LoginFailed({ problem }: { problem: string }) {
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
