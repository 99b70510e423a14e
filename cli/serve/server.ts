import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Db } from '../../db/schema.ts'
import { notFound } from '../../errors.ts'
import { type ProcessSettings, serviceOptions } from '../../options.ts'
import { drain } from '../../plugins/drain.ts'
import { errorHandler, httpErrorBody } from '../../plugins/error-handler.ts'
import { requestLine } from '../../routes/request-line.ts'
import { productTemplates } from '../../service.ts'

/** Milliseconds a client may take to send a request. */
const requestTimeout = 30_000

/** The server of the process: the service at the root, a log, and an end without loose connections. */
export async function buildServer(settings: ProcessSettings, db: Db): Promise<FastifyInstance> {
  const app = Fastify({
    logger: await logger(settings.logLevel),
    logController: new OneLinePerRequest(),
    genReqId: () => randomUUID(),
    requestTimeout,
    trustProxy: settings.trustProxy ?? false
  })
  app.addHook('onRequest', async (request, reply) => {
    // Behind a proxy that is trusted and speaks TLS, RFC 6797 §7.2.
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000')
  })
  await app.register(drain)
  await app.register(errorHandler, { body: httpErrorBody })
  app.setNotFoundHandler(async () => {
    throw notFound()
  })
  await app.register(productTemplates, { ...serviceOptions(settings), db })
  return app
}

/** Fastify would write two lines for each request. */
class OneLinePerRequest extends LogController {
  override incomingRequest() {}
  override requestCompleted(
    error: Error | null,
    request: FastifyRequest,
    { statusCode, elapsedTime }: FastifyReply
  ) {
    const line = { req: request, statusCode, milliseconds: elapsedTime, ...(error && { err: error }) }
    request.log.info(line, 'request completed')
  }
}

async function logger(level: string) {
  const serializers = { req: requestLine }
  if (!process.stdout.isTTY) return { level, serializers }
  const { default: pretty } = await import('pino-pretty')
  return { level, serializers, stream: pretty({ colorize: true }) }
}
