import { type Clock, callLater } from './clock.ts'
import { NetworkError, TimeoutError } from './errors.ts'
import type { RetryOptions } from './retry.ts'

/** The connection to the service. */
export interface Connection {
  /** The address of the service, without a trailing slash. */
  url: string
  fetch: typeof fetch
  clock: Clock
  /** Milliseconds to wait for a response. */
  timeout: number
  retry: Required<RetryOptions>
}

/** A response whose body has been read. */
// biome-ignore lint/suspicious/noExplicitAny: the callers check what they need of JSON
export interface Reply<Body = any> {
  status: number
  /** `Retry-After` in milliseconds. */
  retryAfter: number | undefined
  body: Body
}

/** Reads the JSON of a body; undefined if it is not JSON. */
export async function readJson(response: Response): Promise<Reply['body']> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Sends a request and reads the response; the timeout covers both. Throws {@link NetworkError} or {@link TimeoutError}.
 */
export async function exchange<Body>(
  { url, fetch, clock, timeout }: Connection,
  path: string,
  init: RequestInit,
  signal: AbortSignal,
  read: (response: Response) => Promise<Body>
): Promise<Reply<Body>> {
  const late = new AbortController()
  const cancel = callLater(clock, timeout, () =>
    late.abort(new TimeoutError(`no response within ${timeout} ms`))
  )
  const either = AbortSignal.any([signal, late.signal])
  try {
    // A redirect could send the credentials in the body to another address.
    const given: RequestInit = { credentials: 'omit', redirect: 'error', ...init, signal: either }
    const response = await fetch(url + path, given)
    const retryAfter = readRetryAfter(response.headers.get('retry-after'), clock)
    return { status: response.status, retryAfter, body: await read(response) }
  } catch (cause) {
    if (either.aborted) throw either.reason
    throw new NetworkError('the connection failed', { cause })
  } finally {
    cancel()
  }
}

/** Parses `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3). */
function readRetryAfter(header: string | null, clock: Clock): number | undefined {
  if (header === null) return undefined
  const time = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.now()
  return time > 0 ? time : undefined
}
