import type { Http2ServerResponse } from 'node:http2'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fromChangeCursor, toChangeCursor } from '../../db/cursors.ts'
import { isUnavailable } from '../../db/dialects/faults.ts'
import type { Db } from '../../db/schema.ts'
import { unmetered } from '../../db/templates/meter.ts'
import { type Change, findLastPosition, publishAll } from '../../db/templates/revisions/changes.ts'
import type { ChangeFeed } from '../../db/templates/revisions/feed.ts'
import { seenChanges } from '../../db/templates/rules/seen.ts'
import { formatHash } from '../../db/templates/table/document.ts'
import type { Version } from '../../db/versions.ts'
import { badRequest, publicError } from '../../errors.ts'
import { hasScope, requireToken } from '../../plugins/bearer-auth.ts'
import type { VerifiedToken } from '../../plugins/tokens.ts'
import type { Route } from '../route.ts'

/** Bytes read ahead for a client. */
const maxBytesAhead = 2 ** 14

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would keep events back until its buffer is full.
  'X-Accel-Buffering': 'no'
}
/** In HTTP/1, the connection serves nothing else, and closes with the stream. HTTP/2 has no such header. */
const lastOfConnection = { Connection: 'close' }

const Parameters = Type.Object({
  after: Type.Optional(Type.String({ description: 'a cursor or `start`' }))
})

/** The changes as Server-Sent Events, until the token or the service ends. */
export const changesGet: Route = (app, { changesHeartbeat: interval, graphqlStallTimeout }) => ({
  exposeHeadRoute: false,
  onRequest: requireToken(app, ['read']),
  schema: { querystring: Parameters },
  handler: async (request, reply) => {
    const { jti, exp } = request.productToken as VerifiedToken
    const isHttp2 = request.raw.httpVersionMajor === 2
    const carrier = isHttp2 ? (reply.raw as unknown as Http2ServerResponse).stream : reply.raw
    const signal = app.productChangeStreams.open(jti, carrier)
    const position = await findStart(app.productStore, readCursor(request))
    const token = watchToken(request, { exp, interval })
    const feed = app.productChangeFeed
    const leave = feed.open()
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    const events = streamEvents({ db: app.productStore, feed, position, token, signal })
    const parts = cutIfStalled(events, graphqlStallTimeout, () => carrier.destroy())
    return reply
      .headers(isHttp2 ? headers : { ...headers, ...lastOfConnection })
      .send(Readable.from(parts, { objectMode: false, highWaterMark: maxBytesAhead }))
  }
})

/** Last-Event-ID comes from a client that reconnects to its first URL, so it goes before `after`. */
function readCursor({ headers, query }: FastifyRequest): string | undefined {
  return headers['last-event-id']?.toString() || (query as { after?: string }).after
}

/** Returns the position after which the stream begins: now, if there is no cursor. */
async function findStart(db: Db, cursor: string | undefined): Promise<number> {
  if (cursor === 'start') return 0
  if (cursor === undefined) {
    await publishAll(db)
    return findLastPosition(db)
  }
  const position = fromChangeCursor(cursor)
  if (position === undefined) throw badRequest('after and Last-Event-ID must be a cursor or `start`')
  if (position > (await findLastPosition(db)))
    throw badRequest('the cursor is after the last change: it belongs to another database')
  return position
}

/** Changes that a stream reads at a time. */
const changesAtOnce = 100
/** Milliseconds before a client reconnects, and before a stream reads again after a failure. */
const reconnectTime = 1000
const retryTime = 1000

interface StreamSource {
  db: Db
  feed: ChangeFeed
  /** The stream begins after it. */
  position: number
  token: TokenWatch
  /** Tells the stream to end. */
  signal: AbortSignal
}

/**
 * Makes the text of a stream, HTML Standard, §9.2 "Server-sent events". Each part is made when it is asked for, so that
 * nothing waits in memory for a slow client.
 */
async function* streamEvents({ db, feed, position, token, signal }: StreamSource): AsyncGenerator<string> {
  // Without data it is no event, but a client that reconnects before the first event goes on from here.
  yield `retry: ${reconnectTime}\nid: ${toChangeCursor(position)}\n\n`
  let last = position
  const see = async (changes: Change[]) => {
    const { rule } = token
    return rule ? seenChanges(db, rule, changes, unmetered()) : changes
  }
  while (!signal.aborted) {
    const found = await feed.read(last, changesAtOnce, signal).catch(untilAvailable)
    const { version } = found ?? feed
    if (!(await token.isValid(version))) {
      yield ': the access token is not valid any more\n\n'
      return
    }
    const seen = found && (await see(found.changes).catch(untilAvailable))
    const end = found?.changes.at(-1)?.position
    if (seen === undefined)
      await feed.wait({ position: Number.POSITIVE_INFINITY, version }, retryTime, signal)
    else if (end !== undefined) {
      if (seen.length > 0) yield seen.map(formatEvent).join('')
      last = end
      continue
    } else if (await feed.wait({ position: last, version }, token.timeToHeartbeat(), signal)) continue
    yield ': heartbeat\n\n'
  }
  yield ': the service is shutting down\n\n'
}

/** The stream goes on when the database is back, if it has not ended. */
function untilAvailable(error: unknown): undefined {
  if (!isUnavailable(error) && (error as Error).name !== 'AbortError') throw error
}

function formatEvent({ position, action, id, revision, hash, time }: Change): string {
  const data = JSON.stringify({ id, revision, hash: hash && formatHash(hash), time })
  return `id: ${toChangeCursor(position)}\nevent: ${action.toLowerCase()}\ndata: ${data}\n\n`
}

type TokenWatch = ReturnType<typeof watchToken>

/**
 * Checks the token of a stream again and again: it may expire or be revoked. `exp` is in seconds since the epoch; the
 * interval between heartbeats is in seconds. The token was just verified.
 */
function watchToken(request: FastifyRequest, { exp, interval }: { exp: number; interval: number }) {
  const { productCallers: callers } = request.server
  let { rule } = request.productToken as VerifiedToken
  const nextHeartbeat = () => 1000 * Math.min(Date.now() / 1000 + interval, exp)
  let due = nextHeartbeat()
  return {
    /** That of the caller when the token was last verified. */
    get rule() {
      return rule
    },
    /** Milliseconds until the next heartbeat, or until the token expires. */
    timeToHeartbeat: () => Math.max(0, due - Date.now()),
    /** While the database is unavailable, the token stays valid until it expires. */
    async isValid(version: Version | undefined): Promise<boolean> {
      if (Date.now() >= exp * 1000) return false
      if (Date.now() >= due) due = nextHeartbeat()
      try {
        const caller = await (version ? callers.verify(request, version) : callers.recognize(request))
        rule = caller.rule
        // A host may have taken the scope away.
        return hasScope(caller, ['read'])
      } catch (error) {
        const { code } = publicError(error)
        if (code !== 'invalid_token' && code !== 'missing_token' && code !== 'unavailable') throw error
        return code === 'unavailable'
      }
    }
  }
}

/** Calls `cut` if the reader of the parts does not ask for the next one in time. */
async function* cutIfStalled(parts: AsyncGenerator<string>, seconds: number, cut: () => void) {
  for await (const part of parts) {
    const timer = setTimeout(cut, seconds * 1000)
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
  }
}
