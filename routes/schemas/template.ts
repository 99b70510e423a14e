import { schemaText } from '../../domain/validation/schema.ts'
import { sendWithETag } from '../responses/send.ts'
import type { Route } from '../route.ts'

/** Seconds. A new version of the service may have a new schema. */
const maxAgeSeconds = 3600
const headers = { 'Cache-Control': `public, max-age=${maxAgeSeconds}` }

/** The JSON Schema of the document of a template. */
export const templateSchema: Route = () => ({
  // The text is sent as bytes: Fastify would add a charset to a string, which this media type does not have.
  handler: async (_request, reply) => sendWithETag(reply, 'application/schema+json', schemaText, headers)
})
