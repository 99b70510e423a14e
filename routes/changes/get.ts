import type { Http2ServerResponse } from 'node:http2'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../db/schema.ts'
import { findLastPosition, publishAll } from '../../db/templates/revisions/changes.ts'
import { badRequest } from '../../errors.ts'
import { fromChangeCursor } from '../../graphql/input/paging.ts'
import { readBearerToken } from '../../plugins/bearer-auth.ts'
import type { AccessTokenClaims } from '../../plugins/tokens.ts'
import type { Route } from '../route.ts'
import { cutIfStalled, streamEvents } from './events.ts'
import { watchToken } from './token-watch.ts'

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
  onRequest: app.productBearerAuth('read'),
  schema: { querystring: Parameters },
  handler: async (request, reply) => {
    const { jti, exp } = request.productToken as AccessTokenClaims
    const isHttp2 = request.raw.httpVersionMajor === 2
    const carrier = isHttp2 ? (reply.raw as unknown as Http2ServerResponse).stream : reply.raw
    const signal = app.productChangeStreams.open(jti, carrier)
    const position = await findStart(app.productStore, readCursor(request))
    const token = watchToken(app.productTokens, readBearerToken(request), { exp, interval })
    const feed = app.productChangeFeed
    const leave = feed.open()
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    const events = streamEvents({ feed, position, token, signal })
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
