import { systemClock } from '../../packages/client/clock.ts'
import { client, isLoginMissing, service } from '../api.ts'
import { loginEnded } from '../requests.ts'

/** Milliseconds before a busy service is asked again, and how often it is asked. */
const busyPause = 1500
const maxAttempts = 4

/**
 * Sends a request about pictures, and again if the service is busy or does not answer. Resolves to the last response;
 * undefined if there was none. Rejects with AbortError if it is stopped, and with LoginRequiredError.
 */
export async function requestMedia(path: string, init: RequestInit = {}): Promise<Response | undefined> {
  const stop = init.signal ?? new AbortController().signal
  for (let attempt = 1; ; attempt++) {
    const response = await send(path, init)
    if ((response && response.status !== 503) || attempt === maxAttempts) return response
    await systemClock.sleep(busyPause, stop)
  }
}

/** Resolves to undefined if the service cannot be reached. */
async function send(path: string, init: RequestInit): Promise<Response | undefined> {
  try {
    const authorization = `Bearer ${await client.token()}`
    return await fetch(new URL(path, service), { ...init, headers: { authorization } })
  } catch (error) {
    init.signal?.throwIfAborted()
    if (!isLoginMissing(error)) return undefined
    loginEnded.value = true
    throw error
  }
}
