import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
  type RawServerDefault
} from 'fastify'
import type { Db } from '../../db/schema.ts'
import { migrations } from '../../features/database.ts'
import { loadParts, metricDefinitions } from '../../features/load.ts'
import { type ProcessSettings, pickServiceSettings } from '../../options/index.ts'
import { errorHandler, formatHttpError } from '../../plugins/error-handler.ts'
import { Readiness } from '../../routes/health.ts'
import { notFound } from '../../runtime/errors.ts'
import { join } from '../../runtime/join.ts'
import { Metrics } from '../../runtime/metrics/metrics.ts'
import { productTemplates } from '../../service.ts'
import { Drain } from './drain/drain.ts'
import { HttpServers } from './http-server.ts'
import { logOptions } from './log.ts'
import { checkFraming, malformedRequests } from './malformed-requests.ts'
import { processMetrics } from './process-metrics.ts'
import type { TlsFiles } from './tls.ts'

export type Server = Awaited<ReturnType<typeof buildServer>>

/** Builds the server of the process: the service at the root, the log and the drain. */
export async function buildServer(settings: ProcessSettings, db: Db, tls?: TlsFiles) {
  const drain = new Drain()
  const servers = new HttpServers(drain, tls)
  const metricsRegistry = new Metrics()
  metricsRegistry.define(metricDefinitions)
  const app = await createApp(settings, {
    serverFactory: handler => servers.create(handler as RequestListener),
    // Makes Fastify write `https://` in the log and the issuer. The factory has the files.
    ...(tls && { https: {} as never }),
    trustProxy: selectProxies(settings)
  })
  app.addHook('onRequest', addCommonHeaders)
  app.addHook('onRequest', checkFraming)
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    drain.endResponse(raw)
    done()
  })
  app.decorate('productDrain', drain)
  const readiness = new Readiness({ db, migrations, draining: drain.announced, log: app.log })
  app.decorate('productReadiness', readiness)
  await app.register(processMetrics, { metricsRegistry })
  // With HEALTH_PORT, the metrics are on that port.
  const metrics =
    settings.healthPort === undefined && (settings.metrics ?? settings.environment !== 'production')
  const { explorer } = settings
  const openings = await loadParts('beforeServe')
  const given = await Promise.all(openings.map(open => open(app, metricsRegistry)))
  const options = {
    ...pickServiceSettings(settings),
    ...join('options', ...given),
    db,
    metricsRegistry,
    explorer,
    metrics
  }
  await app.register(productTemplates, options)
  return { app, servers, drain, readiness, metricsRegistry }
}

const addCommonHeaders: onRequestHookHandler = (request, reply, done) => {
  reply.header('X-Content-Type-Options', 'nosniff')
  reply.header('X-Request-Id', request.id)
  // Behind a trusted proxy with TLS, RFC 6797 §7.2.
  if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000')
  done()
}

/**
 * Returns Fastify's `trustProxy`. The peer of a Unix domain socket has no address and counts as a trusted proxy. With
 * TCP, a missing address means that the client has gone.
 */
export function selectProxies({ trustProxy, socketPath }: ProcessSettings) {
  if (trustProxy === undefined || socketPath === undefined) return trustProxy ?? false
  const isTrusted = proxyAddress.compile(trustProxy.split(',').map(network => network.trim()))
  return (address: string | undefined, hop = 0) => address === undefined || isTrusted(address, hop)
}

/** Creates a server. All servers of a process share the log, the form of request ids and the form of errors. */
export async function createApp(
  settings: ProcessSettings,
  options: FastifyHttpOptions<RawServerDefault>
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: await logOptions(settings),
    logController: new OneLinePerRequest(),
    genReqId: findRequestId,
    // Leaves out the options of the route, because this log has their serializers. Pino then makes a logger much
    // faster.
    childLoggerFactory: (log, bindings) => log.child(bindings),
    // Checking many documents takes longer than Fastify's ten seconds. Probes watch the start.
    pluginTimeout: 0,
    ...malformedRequests,
    ...options
  })
  await app.register(errorHandler, { body: formatHttpError })
  app.setNotFoundHandler(async (_request, reply) => {
    // The address may be a misspelt one of OAuth, whose responses no cache may store.
    reply.header('Cache-Control', 'no-store')
    throw notFound()
  })
  return app
}

/** The form of request ids from clients, such as UUIDs, ULIDs, Base64 and the ids of proxies. */
const requestIdForm = /^[\w.~+/=:-]{1,128}$/

/** Returns the request id that the client or a proxy has sent, or a new id if it is absent or malformed. */
function findRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID()
}

/** Maximum characters of an operation's name in the log. */
const maxNameLength = 100

/** Logs one line per request. Fastify would log two. */
class OneLinePerRequest extends LogController {
  override incomingRequest() {}
  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply) {
    const { productGraphql, productToken: token, routeOptions } = request
    const { cost, namedOperation, isCached } = productGraphql ?? {}
    const name = namedOperation?.name?.slice(0, maxNameLength)
    const line = {
      reqId: request.id,
      ...(request.productTrace && { traceId: request.productTrace.traceId }),
      req: request,
      statusCode: reply.statusCode,
      milliseconds: reply.elapsedTime,
      clientId: token?.client_id ?? request.productClient?.id,
      sub: token?.sub,
      jti: token?.jti,
      ...(name && { operation: name }),
      ...(cost && { cost }),
      bytes: Number(reply.getHeader('content-length') ?? 0),
      ...(isCached && { cached: true }),
      ...(error && { err: error })
    }
    request.server.log[routeOptions.config.productIsProbe ? 'debug' : 'info'](line, 'request completed')
  }
}
