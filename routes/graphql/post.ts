import type { Route } from '../route.ts'
import { answerTo } from './answer.ts'
import { checkHeaders, checkIdempotencyKey } from './protocol.ts'
import { RequestParameters } from './request.ts'
import { sendBody } from './send.ts'

/** The token is checked before the body is read; which scope is needed is known only then. */
export const graphqlPost: Route = (app, settings) => ({
  onRequest: [app.productBearerAuth('read', 'write'), checkHeaders, checkIdempotencyKey],
  bodyLimit: settings.graphqlMaxBodySize,
  schema: { body: RequestParameters },
  handler: async (request, reply) => {
    const { statusCode, type, body, pending } = await answerTo(request, reply, app, settings)
    return sendBody(reply.code(statusCode).type(type), body, pending)
  }
})
