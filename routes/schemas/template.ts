import { hash } from 'node:crypto'
import { schemaText } from '../../db/templates/validation/schema.ts'
import { allowAnyOrigin } from '../cross-origin.ts'
import { isKnown, sendShared } from '../responses/send.ts'
import type { Route } from '../route.ts'

/** Seconds. A new version of the service may have a new schema. */
const maxAgeSeconds = 3600

const etag = `"${hash('sha256', schemaText, 'base64url')}"`

/** The JSON Schema of the document of a template. */
export const templateSchema: Route = app => ({
  onRequest: allowAnyOrigin,
  handler: async (request, reply) => {
    app.productPendingResponses.checkShared(schemaText)
    reply.headers({ ETag: etag, 'Cache-Control': `public, max-age=${maxAgeSeconds}` })
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
    // As bytes: Fastify would add a charset to a string, which this media type does not have.
    sendShared(reply.type('application/schema+json'), schemaText)
    return reply
  }
})
