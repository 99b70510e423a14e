import { requestMedia } from './request-media.ts'

/** Has the service fetch a picture and store it. Returns why it did not. Rejects with AbortError if it is stopped. */
export async function fetchPicture(link: string, stop?: AbortSignal): Promise<string | undefined> {
  const path = `media/copies?link=${encodeURIComponent(link)}`
  const response = await requestMedia(path, { method: 'POST', ...(stop && { signal: stop }) })
  if (response?.ok) return undefined
  return response && response.status !== 503 ? readMessage(response) : 'the service did not answer'
}

async function readMessage(response: Response): Promise<string> {
  const { message } = await response.json().catch(() => ({}))
  return String(message ?? `the service responded ${response.status}`)
}
