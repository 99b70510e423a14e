import type { Route } from '../route.ts'
import { answerTo } from './answer.ts'
import { checkHeaders } from './protocol.ts'
import { RequestParameters } from './request.ts'

/** The token is checked before the body is read. */
export const graphqlPost: Route = (app, settings) => ({
  onRequest: [app.productBearerAuth('read'), checkHeaders],
  bodyLimit: settings.graphqlMaxBodySize,
  schema: { body: RequestParameters },
  handler: async (request, reply) => {
    const { statusCode, type, body } = await answerTo(request, reply, app, settings)
    return reply.code(statusCode).type(type).send(Buffer.concat(body))
  }
})
