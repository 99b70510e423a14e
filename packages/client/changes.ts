import { callLater } from './clock.ts'
import { isTemporary, NetworkError, ResponseError, TimeoutError } from './errors.ts'
import { parseEvents, type ServerSentEvent } from './event-stream.ts'
import { type Connection, exchange } from './http.ts'
import { withToken } from './operations.ts'
import { pauseAfter } from './retry.ts'
import type { ChangeAction } from './schema.ts'
import type { TokenSource } from './tokens.ts'

/** A committed change of a template. */
export interface ChangeEvent {
  /** The `id` of the template. */
  id: number
  /** The number of the new revision. */
  revision: number
  action: ChangeAction
  /** The SHA-256 of that revision's `data`; null for a deletion. */
  hash: string | null
  /** UTC with microseconds. */
  time: string
  /** `changes({ after: cursor })` continues after this change. */
  cursor: string
}

export interface ChangesOptions {
  /** The cursor of a change, or `start` for the first change. Default: only new changes. */
  after?: string
  signal?: AbortSignal | undefined
  /**
   * Milliseconds without any data before the client reconnects. The service sends data at least every 15 s. Default:
   * 45,000.
   */
  idleTimeout?: number
}

/**
 * Yields each change exactly once and never ends. Reconnects after the last change if the stream ends or fails. Throws
 * if all attempts of `maxTime` fail.
 */
export async function* followChanges(
  connection: Connection,
  tokens: TokenSource,
  { after, signal, idleTimeout = 45_000 }: ChangesOptions = {}
): AsyncGenerator<ChangeEvent, void, undefined> {
  const { clock, retry } = connection
  const stop = new AbortController()
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  let [cursor, failures, serverDelay, outageFrom] = [after, 0, 1000, 0]
  try {
    for (;;) {
      let pause = serverDelay
      try {
        for await (const event of connect(connection, tokens, { cursor, signal: either, idleTimeout })) {
          failures = 0
          cursor = event.id ?? cursor
          serverDelay = event.retry ?? serverDelay
          if (event.data === undefined) continue
          yield toChange(event, cursor as string)
        }
      } catch (error) {
        // From the first failure: the stream may have been silent for long, as while a laptop sleeps.
        if (failures === 0) outageFrom = clock.now()
        pause = serverDelay + pauseAfter(error, ++failures, retry, clock)
        const isLast = clock.now() + pause >= outageFrom + retry.maxTime
        if (either.aborted || !isTemporary(error) || isLast) throw error
      }
      await clock.sleep(pause, either)
    }
  } finally {
    stop.abort()
  }
}

const toChange = ({ event = '', data = '' }: ServerSentEvent, cursor: string): ChangeEvent => ({
  ...JSON.parse(data),
  action: event.toUpperCase(),
  cursor
})

interface Place {
  cursor: string | undefined
  signal: AbortSignal
  idleTimeout: number
}

/** Opens the stream once and yields its events. */
async function* connect(
  connection: Connection,
  tokens: TokenSource,
  { cursor, signal, idleTimeout }: Place
): AsyncGenerator<ServerSentEvent> {
  const idle = new AbortController()
  const either = AbortSignal.any([signal, idle.signal])
  const path = cursor === 'start' ? '/changes?after=start' : '/changes'
  const send = (token: string) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(cursor !== undefined && cursor !== 'start' && { 'last-event-id': cursor })
    }
    // The timeout ends with the head of the response, because the stream has no end.
    return exchange(connection, path, { headers }, either, async response => response.body)
  }
  const reply = await withToken(tokens, either, send)
  const { status, body } = reply
  if (status !== 200 || !body) {
    await body?.cancel()
    throw new ResponseError(`/changes responded ${status}`, reply)
  }
  const late = () => idle.abort(new TimeoutError(`no event within ${idleTimeout} ms`))
  const { clock } = connection
  try {
    yield* parseEvents(readChunks(body, () => callLater(clock, idleTimeout, late)))
  } catch (cause) {
    if (either.aborted) throw either.reason
    throw new NetworkError('the stream broke', { cause })
  } finally {
    idle.abort()
  }
}

/** Reads a body in chunks and watches each wait. Some browsers cannot iterate over a body. */
async function* readChunks(body: ReadableStream<Uint8Array>, watch: () => () => void) {
  const reader = body.getReader()
  for (;;) {
    const unwatch = watch()
    const { done, value } = await reader.read().finally(unwatch)
    if (done) return
    yield value
  }
}
