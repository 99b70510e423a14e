import { optional, string } from 'decoders'
import type { FastifyRequest } from 'fastify'
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/revisions/changes.ts'
import { findStart } from '../../db/templates/revisions/changes.ts'
import { formatHash } from '../../db/templates/table/document.ts'
import { ArgumentError, badRequest } from '../../errors.ts'
import { requireToken } from '../../plugins/bearer-auth.ts'
import type { Route } from '../route.ts'
import { changesAtOnce, openStream } from './stream.ts'

const Parameters = { after: optional(string).describe('a cursor or `start`') }

/** Sends the changes as Server-Sent Events, until the token expires or the service shuts down. */
export const changesGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  onRequest: requireToken(app, ['read']),
  schema: { querystring: Parameters },
  handler: async (request, reply) => {
    const send = openStream(request, reply, settings)
    const position = await findStart(app.productStore, readCursor(request)).catch(error => {
      throw error instanceof ArgumentError ? badRequest(error.message) : error
    })
    return send({ position, atOnce: changesAtOnce, write: writeEvents })
  }
})

/** A client that reconnects to its first URL sends Last-Event-ID, so this header overrides `after`. */
function readCursor({ headers, query }: FastifyRequest): string | undefined {
  return headers['last-event-id']?.toString() || (query as { after?: string }).after
}

async function* writeEvents(changes: Change[]) {
  yield changes.map(formatEvent).join('')
}

function formatEvent({ position, action, id, revision, hash, time }: Change): string {
  const data = JSON.stringify({ id, revision, hash: hash && formatHash(hash), time })
  return `id: ${toChangeCursor(position)}\nevent: ${action.toLowerCase()}\ndata: ${data}\n\n`
}
