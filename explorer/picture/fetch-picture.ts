import { systemClock } from '../../packages/client/clock.ts'
import { isLoginMissing } from '../api.ts'
import { loginEnded } from '../requests.ts'
import { requestMedia } from './use-picture.ts'

/** Milliseconds before a busy service is asked again, and how often it is asked. */
const busyPause = 1500
const maxAttempts = 4

/** Has the service fetch a picture and store it. Returns why it did not. Rejects with AbortError if it is stopped. */
export async function fetchPicture(
  link: string,
  stop = new AbortController().signal
): Promise<string | undefined> {
  const response = await retryWhileBusy(() => send(link, stop), stop)
  if (response?.ok) return undefined
  return response && response.status !== 503 ? readMessage(response) : 'the service did not answer'
}

/** Sends a request again if the service is busy or does not answer. Resolves to the last response. */
export async function retryWhileBusy(
  send: () => Promise<Response | undefined>,
  stop: AbortSignal
): Promise<Response | undefined> {
  for (let attempt = 1; ; attempt++) {
    const response = await send()
    if ((response && response.status !== 503) || attempt === maxAttempts) return response
    await systemClock.sleep(busyPause, stop)
  }
}

/** Resolves to undefined if the service cannot be reached. */
async function send(link: string, stop: AbortSignal): Promise<Response | undefined> {
  try {
    const path = `media/copies?link=${encodeURIComponent(link)}`
    return await requestMedia(path, { method: 'POST', signal: stop })
  } catch (error) {
    stop.throwIfAborted()
    if (isLoginMissing(error)) {
      loginEnded.value = true
      throw error
    }
    return undefined
  }
}

async function readMessage(response: Response): Promise<string> {
  const { message } = await response.json().catch(() => ({}))
  return String(message ?? `the service responded ${response.status}`)
}
