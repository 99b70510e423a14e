import type { BlockList } from 'node:net'
import { readAll, sendRequest } from '../outgoing/request.ts'
import { signMessage } from './message.ts'

/**
 * Maximum milliseconds for the receiver's answer. Its body is read up to a number of bytes, so that the connection
 * ends well.
 */
const answerTimeoutMs = 10_000
const maxAnswerBytes = 4096

/** The answer of a receiver. */
export interface Answer {
  /** undefined if the receiver did not answer. */
  status?: number
  /** Why the message does not count as delivered; null if it was delivered. */
  error: string | null
  /** Seconds after which the receiver asks for another attempt, RFC 9110 §10.2.3. */
  retryAfter?: number
}

interface Target {
  id: string
  url: string
  /** The keys that sign the message. */
  keys: Buffer[]
  /** Networks that are allowed, although they are not public. */
  allowed: BlockList
}

/** Sends a message once. Redirects are not followed. Rejects only with the reason of the signal. */
export async function sendMessage(
  { id, url, keys, allowed }: Target,
  body: string,
  closing: AbortSignal
): Promise<Answer> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)])
  const headers = {
    ...signMessage(id, body, keys),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'product-templates'
  }
  try {
    const response = await sendRequest(new URL(url), { method: 'POST', headers, body, allowed, signal })
    // In the background. A longer body is cut off.
    readAll(response, maxAnswerBytes).catch(() => {})
    const { statusCode: status = 0 } = response
    const retryAfter = readRetryAfter(response.headers['retry-after'])
    if (status >= 200 && status <= 299) return { status, error: null }
    return {
      status,
      error: `the receiver answered with ${status}`,
      ...(retryAfter !== undefined && { retryAfter })
    }
  } catch (error) {
    closing.throwIfAborted()
    return {
      error: signal.aborted ? 'the receiver did not answer in time' : (error as Error).message.slice(0, 200)
    }
  }
}

/** Converts Retry-After to seconds. The header has seconds or a date. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return seconds > 0 ? seconds : undefined
}
