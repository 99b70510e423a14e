import { setTimeout } from 'node:timers/promises'
import { string } from 'decoders'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { toChangeCursor } from '../../db/cursors.ts'
import { type Change, resolveStart } from '../../db/templates/changes/changes.ts'
import { formatHash } from '../../domain/document.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { beforeClose } from '../../plugins/before-close.ts'
import { badRequest, overloaded, tooManyForToken, unavailable } from '../../runtime/errors.ts'
import { yieldStreamToEventLoop } from '../../runtime/event-loop.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { optional } from '../../runtime/validator.ts'
import { type RawResponse, whenClosed } from '../responses/response-memory.ts'
import type { Route } from '../route.ts'
import { changesAtOnce, openStream, sendStream } from './stream.ts'

const Parameters = { after: optional(string).describe('a cursor or `start`') }

/** Sends the changes as Server-Sent Events, until the token expires or the service shuts down. */
export const changesGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  schema: { querystring: Parameters },
  handler: async (request, reply) => {
    const streamText = openStream(reply, settings)
    await yieldStreamToEventLoop()
    const position = await resolveStart(app.productStore, chooseCursor(request)).catch(error => {
      throw error instanceof ArgumentError ? badRequest(error.message) : error
    })
    return sendStream(reply, streamText({ position, atOnce: changesAtOnce, write: writeEvents }))
  }
})

/** A client that reconnects to its first URL sends Last-Event-ID, so this header overrides `after`. */
function chooseCursor({ headers, query }: FastifyRequest): string | undefined {
  return headers['last-event-id']?.toString() || (query as { after?: string }).after
}

async function* writeEvents(changes: Change[]) {
  yield changes.map(formatEvent).join('')
}

function formatEvent({ position, action, id, revision, hash, time }: Change): string {
  const data = JSON.stringify({ id, revision, hash: hash && formatHash(hash), time })
  return `id: ${toChangeCursor(position)}\nevent: ${action.toLowerCase()}\ndata: ${data}\n\n`
}

declare module 'fastify' {
  interface FastifyInstance {
    productChangeStreams: ChangeStreams
  }
}

/** Provides the streams. They end before the server closes, because the server would wait for them. */
export const changeStreams = fp<ServiceSettings>(
  async (app, settings) => {
    const streams = new ChangeStreams(settings)
    app.productOnScrape(() => ({ change_streams: streams.size }))
    app.decorate('productChangeStreams', streams)
    beforeClose(app, () => streams.close())
  },
  { name: 'product-change-streams', fastify: '5.x' }
)

interface Stream {
  token: string
  rawResponse: RawResponse
  ended: AbortController
}

/** Seconds after which a refused client should try again. */
const retryAfterSeconds = 5
/** Milliseconds that streams have to end during a shutdown. */
const endTimeoutMs = 1000

/** Limits the open streams, and ends them when the service shuts down. */
class ChangeStreams {
  readonly #settings: ServiceSettings
  readonly #streams = new Set<Stream>()
  #closing = false

  constructor(settings: ServiceSettings) {
    this.#settings = settings
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  /**
   * Counts a stream until its raw response closes. Returns the signal to end. Throws 503 if too many streams are open
   * or the service shuts down, 429 if the token has too many.
   */
  open(token: string, rawResponse: RawResponse): AbortSignal {
    const { changesMaxStreams: maxStreams, changesStreamsPerToken } = this.#settings
    if (this.#closing) throw unavailable('the service is shutting down')
    if (this.#streams.size >= maxStreams)
      throw overloaded(`${maxStreams} streams of changes are open`, 'streams_limit')
    const ofToken = [...this.#streams].filter(stream => stream.token === token).length
    if (ofToken >= changesStreamsPerToken)
      throw tooManyForToken('this token has too many streams of changes', retryAfterSeconds, 'streams_limit')
    const stream = { token, rawResponse, ended: new AbortController() }
    this.#streams.add(stream)
    const close = () => {
      this.#streams.delete(stream)
      stream.ended.abort()
    }
    whenClosed(rawResponse, close)
    return stream.ended.signal
  }

  /** Ends all streams. Destroys each stream whose client does not read the end in time. */
  async close(): Promise<void> {
    this.#closing = true
    const streams = [...this.#streams]
    const closed = Promise.all(
      streams.map(({ rawResponse }) => new Promise<void>(resolve => whenClosed(rawResponse, resolve)))
    )
    for (const { ended } of streams) ended.abort()
    const late = setTimeout(endTimeoutMs, undefined, { ref: false })
    await Promise.race([closed, late])
    for (const { rawResponse } of streams) rawResponse.destroy()
  }
}
