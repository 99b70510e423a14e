import type { RequestListener } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Db } from '../../../db/schema.ts'
import { notFound } from '../../../errors.ts'
import { Metrics } from '../../../metrics/metrics.ts'
import { type ProcessSettings, pickServiceSettings } from '../../../options.ts'
import { drain } from '../../../plugins/drain.ts'
import { errorHandler, httpErrorBody } from '../../../plugins/error-handler.ts'
import { type Siblings, siblings } from '../../../plugins/siblings.ts'
import { Readiness } from '../../../routes/readiness.ts'
import { productTemplates } from '../../../service.ts'
import { Shutdown } from '../drain/shutdown.ts'
import { logOptions } from '../observe/log.ts'
import { processMetrics } from '../observe/metrics.ts'
import { OneLinePerRequest, RequestLog } from '../observe/request-log.ts'
import { openTracing } from '../observe/tracing.ts'
import { checkFraming } from './framing.ts'
import { HttpServers } from './http-server.ts'
import { malformedRequests } from './malformed-requests.ts'
import { findRequestId } from './request-id.ts'
import { selectProxies } from './trusted-proxies.ts'

/** What the service shares with the process around it. */
export interface Surroundings {
  siblings?: Siblings | undefined
  shutdown?: Shutdown
  /** By default, without TLS. */
  servers?: HttpServers
  figures?: Metrics
}

/** Builds the server of the process: the service at the root, the log and the shutdown. */
export async function buildServer(
  settings: ProcessSettings,
  db: Db,
  {
    siblings: others,
    shutdown = new Shutdown(),
    servers = new HttpServers(shutdown.connections),
    figures = new Metrics()
  }: Surroundings = {}
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: await logOptions(settings),
    logController: new OneLinePerRequest(),
    childLoggerFactory: (log, bindings, options) => new RequestLog(log, bindings, options) as never,
    genReqId: findRequestId,
    serverFactory: handler => servers.create(handler as RequestListener),
    // What the addresses in the log and the issuer begin with; the factory has the files.
    ...(servers.scheme === 'https' && { https: {} as never }),
    trustProxy: selectProxies(settings),
    ...malformedRequests
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Content-Type-Options', 'nosniff')
    reply.header('X-Request-Id', request.id)
    // Behind a trusted proxy with TLS, RFC 6797 §7.2.
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000')
    done()
  })
  app.addHook('onRequest', checkFraming)
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    shutdown.connections.rest(raw)
    done()
  })
  await app.register(drain, shutdown.drain)
  const draining = shutdown.drain.announced
  app.decorate('productReadiness', new Readiness({ db, draining, log: app.log }))
  await app.register(errorHandler, { body: httpErrorBody })
  app.setNotFoundHandler(async () => {
    throw notFound()
  })
  if (others) await app.register(siblings, others)
  await app.register(processMetrics, { figures })
  // With HEALTH_PORT they are there.
  const metrics =
    settings.healthPort === undefined && (settings.metrics ?? settings.environment !== 'production')
  const tracing = await openTracing(process.env, app.log)
  if (tracing) {
    figures.onScrape(() => ({ trace_exports_failed_total: tracing.failed }))
    app.addHook('onClose', () => tracing.close())
  }
  const tracer = tracing && { tracer: tracing.tracer }
  const { explorer } = settings
  const options = { ...pickServiceSettings(settings), db, figures, explorer, metrics, ...tracer }
  await app.register(productTemplates, options)
  return app
}
