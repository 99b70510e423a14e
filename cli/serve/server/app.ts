import Fastify, { type FastifyHttpOptions, type FastifyInstance, type RawServerDefault } from 'fastify'
import { notFound } from '../../../errors.ts'
import type { ProcessSettings } from '../../../options.ts'
import { errorHandler, httpErrorBody } from '../../../plugins/error-handler.ts'
import { logOptions } from '../observe/log.ts'
import { findRequestId, OneLinePerRequest } from '../observe/request-log.ts'
import { malformedRequests } from './malformed-requests.ts'

/** Creates what the servers of a process begin with: the log, the ids of requests, and errors of one form. */
export async function createApp(
  settings: ProcessSettings,
  options: FastifyHttpOptions<RawServerDefault>
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: await logOptions(settings),
    logController: new OneLinePerRequest(),
    genReqId: findRequestId,
    ...malformedRequests,
    ...options
  })
  await app.register(errorHandler, { body: httpErrorBody })
  app.setNotFoundHandler(async () => {
    throw notFound()
  })
  return app
}
