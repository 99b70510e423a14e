import { systemClock } from '../../packages/client/clock.ts'
import { isLoginMissing } from '../api.ts'
import { loginEnded } from '../requests.ts'
import { requestMedia } from './use-picture.ts'

/** Milliseconds before a busy service is asked again, and how often it is asked. */
export const busyPause = 1500
export const maxAttempts = 4

/** Has the service fetch a picture and store it. Returns why it did not. Rejects with AbortError if it is stopped. */
export async function fetchPicture(
  link: string,
  stop = new AbortController().signal
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(link, stop)
    if (response?.ok) return undefined
    if (response && response.status !== 503) return readMessage(response)
    if (attempt === maxAttempts) return 'the service did not answer'
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
