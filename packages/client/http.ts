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

/** A completely read response. */
export interface Reply {
  status: number
  /** `Retry-After` in milliseconds. */
  retryAfter: number | undefined
  /** The parsed JSON; undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the callers check what they need
  body: any
}

/** Sends a request and reads the whole response. Throws {@link NetworkError} or {@link TimeoutError}. */
export async function exchange(
  connection: Connection,
  path: string,
  init: RequestInit,
  signal: AbortSignal
): Promise<Reply> {
  return open(connection, path, init, signal, async response => ({
    status: response.status,
    retryAfter: readRetryAfter(response.headers.get('retry-after'), connection.clock),
    body: parse(await response.text())
  }))
}

/** Sends a request and passes the response to `read`. The timeout covers both. */
export async function open<T>(
  { url, fetch, clock, timeout }: Connection,
  path: string,
  init: RequestInit,
  signal: AbortSignal,
  read: (response: Response) => Promise<T>
): Promise<T> {
  const late = new AbortController()
  const cancel = callLater(clock, timeout, () =>
    late.abort(new TimeoutError(`no response within ${timeout} ms`))
  )
  const either = AbortSignal.any([signal, late.signal])
  try {
    // A redirect could send the credentials in the body to another address.
    return await read(
      await fetch(url + path, { credentials: 'omit', redirect: 'error', ...init, signal: either })
    )
  } catch (cause) {
    if (either.aborted) throw either.reason
    throw new NetworkError('the connection failed', { cause })
  } finally {
    cancel()
  }
}

/** Parses `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3). */
export function readRetryAfter(header: string | null, clock: Clock): number | undefined {
  if (header === null) return undefined
  const time = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.now()
  return time > 0 ? time : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
