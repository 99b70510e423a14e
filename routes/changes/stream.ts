/** Streams of changes as Server-Sent Events, HTML Standard §9.2. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import type { ChangeFeed } from '../../db/templates/changes/feed.ts'
import { combineRules, type TemplateRule } from '../../db/templates/rule.ts'
import type { Version } from '../../db/versions.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { getToken, hasScope } from '../../plugins/authentication/bearer-auth.ts'
import { toPublicError } from '../../plugins/error-handler.ts'

/** The changes that a client gets, and their form. */
interface ChangeStream {
  /** The stream begins after this position. */
  position: number
  /** The filter of the client. undefined: all changes that the token may see. */
  where?: TemplateRule | undefined
  /** Number of changes that are written together. */
  atOnce: number
  /**
   * Writes changes as text. After a temporary failure before the first part, it is called again with the same changes.
   */
  write(changes: Change[]): AsyncGenerator<string | Uint8Array>
}

/** Maximum bytes that are buffered for a client. */
const maxBytesAhead = 2 ** 14

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would hold events back until its buffer is full.
  'X-Accel-Buffering': 'no'
}
/** In HTTP/1, the connection closes with the stream. HTTP/2 has no such header. */
const lastOfConnection = { Connection: 'close' }

/**
 * Opens a stream for an authenticated request. Returns the function that makes its text, which ends when the token
 * expires or the service shuts down. Throws 503 or 429 if too many streams are open.
 */
export function openStream(
  { request, raw }: FastifyReply,
  { changesHeartbeat, graphqlStallTimeout }: ServiceSettings
): (stream: ChangeStream) => Readable {
  const { productChangeFeed: feed, productChangeStreams: streams } = request.server
  const { jti } = getToken(request)
  const signal = streams.open(jti, raw)
  return stream => {
    const token = watchToken(request, changesHeartbeat)
    const leave = feed.open()
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    const events = generateEvents({ feed, token, signal, stream })
    const parts = cutIfStalled(events, graphqlStallTimeout, () => raw.destroy())
    return Readable.from(parts, { objectMode: false, highWaterMark: maxBytesAhead })
  }
}

/** Sends the text of a stream. */
export function sendStream(reply: FastifyReply, text: Readable): FastifyReply {
  const isHttp2 = reply.request.raw.httpVersionMajor === 2
  return reply.headers(isHttp2 ? headers : { ...headers, ...lastOfConnection }).send(text)
}

/** Number of changes that a stream reads at a time. */
export const changesAtOnce = 100
/** Number of changes for a filter that needs documents. To read documents may take long, and other streams wait. */
const documentsAtOnce = 5
/** Milliseconds before a client should reconnect; and before a stream reads again after a failure. */
const reconnectMs = 1000
const retryMs = 1000

interface StreamSource {
  feed: ChangeFeed
  token: TokenWatch
  /** Tells the stream to end. */
  signal: AbortSignal
  stream: ChangeStream
}

/** Generates the text of a stream. Each part is made when it is read, so nothing accumulates for a slow client. */
async function* generateEvents({ feed, token, signal, stream }: StreamSource) {
  const { atOnce, where } = stream
  let last = stream.position
  /**
   * Writes the changes that the client may see. Returns false after a temporary failure; the rest is then tried again.
   */
  async function* writeSeen(
    changes: Change[],
    isRecent: () => boolean
  ): AsyncGenerator<string | Uint8Array, boolean> {
    try {
      const filter = combineRules(token.rule, where)
      const seen = filter ? await feed.selectVisible(filter, changes, signal) : changes
      for (let begin = 0; begin < seen.length; begin += atOnce) {
        // The token may have expired, or its rule may have changed, so the rest is read again.
        if (begin > 0 && !isRecent()) return true
        const part = seen.slice(begin, begin + atOnce)
        yield* stream.write(part)
        last = part.at(-1)?.position ?? last
      }
      last = changes.at(-1)?.position ?? last
      return true
    } catch (error) {
      ignoreTemporary(error)
      return false
    }
  }
  // This is no event, but it sets the id from which a client continues that reconnects at once.
  yield `retry: ${reconnectMs}\nid: ${toChangeCursor(last)}\n\n`
  while (!signal.aborted) {
    const known = feed.version
    const readsDocuments = token.rule?.needsIndex || where?.needsIndex
    const first = readsDocuments ? documentsAtOnce : changesAtOnce
    const found = await feed.read(last, first, signal).catch(ignoreTemporary)
    const { version } = found ?? feed
    const isBeatDue = token.timeToHeartbeat() === 0
    if (!(await token.isValid(version))) {
      yield ': the access token is not valid any more\n\n'
      return
    }
    const isRecent = () => !signal.aborted && feed.version === known && token.timeToHeartbeat() > 0
    if (!found || !(yield* writeSeen(found.changes, isRecent)))
      await feed.wait({ position: Number.POSITIVE_INFINITY, version }, retryMs, signal)
    else if (found.changes.length > 0) {
      // Many changes may be invisible to this stream, so it still sends heartbeats.
      if (!isBeatDue) continue
    } else if (await feed.wait({ position: last, version }, token.timeToHeartbeat(), signal)) continue
    yield ': heartbeat\n\n'
  }
  yield ': the service is shutting down\n\n'
}

/** Ignores temporary failures: the stream continues when the database is back. Throws other errors. */
function ignoreTemporary(error: unknown): undefined {
  const { statusCode } = toPublicError(error)
  if (statusCode !== 503 && statusCode !== 429 && (error as Error).name !== 'AbortError') throw error
}

/** Calls `cut` if the reader does not ask for the next part in time. */
async function* cutIfStalled(parts: AsyncGenerator<string | Uint8Array>, seconds: number, cut: () => void) {
  for await (const part of parts) {
    const timer = setTimeout(cut, seconds * 1000)
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
  }
}

type TokenWatch = ReturnType<typeof watchToken>

/** Checks the token of a stream repeatedly. `interval` is the number of seconds between heartbeats. */
export function watchToken(request: FastifyRequest, interval: number) {
  const { productAuthenticator: authenticator } = request.server
  const { exp } = getToken(request)
  const nextHeartbeat = () => 1000 * Math.min(Date.now() / 1000 + interval, exp)
  let due = nextHeartbeat()
  return {
    /** The rule of the caller when the token was last verified. */
    get rule() {
      return getToken(request).rule
    },
    /** Milliseconds until the next heartbeat, or until the token expires. */
    timeToHeartbeat: () => Math.max(0, due - Date.now()),
    /** While the database is unavailable, the token stays valid until it expires. */
    async isValid(version: Version | undefined): Promise<boolean> {
      if (Date.now() >= exp * 1000) return false
      if (Date.now() >= due) due = nextHeartbeat()
      try {
        const caller = await (version
          ? authenticator.verify(request, version)
          : authenticator.verifyFromCache(request))
        request.productToken = caller
        // A host may have removed the scope.
        return hasScope(caller, ['read'])
      } catch (error) {
        const { code } = toPublicError(error)
        if (/_token$|^insufficient_scope$/.test(code)) return false
        if (code !== 'unavailable') throw error
        return true
      }
    }
  }
}
