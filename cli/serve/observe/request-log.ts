import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Ids of requests that are taken from clients: UUIDs, ULIDs, Base64 and the ids of proxies are such. */
const wellFormed = /^[\w.~+/=:-]{1,128}$/

/** Returns the id that the client or a proxy has given a request; a new one if it is absent or malformed. */
export function findRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
}

/** Characters of the name of an operation. */
const longestName = 100

/** Logs one line per request; Fastify would log two. */
export class OneLinePerRequest extends LogController {
  override incomingRequest() {}
  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply) {
    const { productCost: cost, productKept: kept, productToken: token } = request
    const operation = request.productOperation?.name?.slice(0, longestName)
    const line = {
      reqId: request.id,
      ...(request.productTrace && { traceId: request.productTrace.traceId }),
      req: request,
      statusCode: reply.statusCode,
      milliseconds: reply.elapsedTime,
      clientId: token?.client_id ?? request.productClient?.id,
      sub: token?.sub,
      jti: token?.jti,
      ...(operation && { operation }),
      ...(cost && { cost }),
      bytes: Number(reply.getHeader('content-length') ?? 0),
      ...(kept && { kept }),
      ...(error && { err: error })
    }
    request.server.log[request.routeOptions.config.productLogLevel ?? 'info'](line, 'request completed')
  }
}
