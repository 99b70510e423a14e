import { logIn } from '../api.ts'
import { loginEnded, outageSince } from '../requests.ts'
import './status.css'

/** Tells the user that the service does not answer or that the login has ended. */
export function Status() {
  return (
    <div class="status" role="status">
      {outageSince.value && (
        <p class="notice warning">
          The service has not answered since {outageSince.value.toLocaleTimeString()}. The page shows what it
          had, and tries again by itself.
        </p>
      )}
      {loginEnded.value && (
        <p class="notice warning">
          Your login has ended. What you typed is kept.{' '}
          <button type="button" class="button" onClick={() => logIn()}>
            Log in again
          </button>
        </p>
      )}
    </div>
  )
}
