import type { RequestListener } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import type { onRequestHookHandler } from 'fastify'
import type { Db } from '../../../db/schema.ts'
import { Metrics } from '../../../metrics/metrics.ts'
import { type ProcessSettings, pickServiceSettings } from '../../../options.ts'
import { Readiness } from '../../../routes/readiness.ts'
import { productTemplates } from '../../../service.ts'
import { Drain } from '../drain/drain.ts'
import { processMetrics } from '../observe/metrics.ts'
import { openTracing } from '../observe/tracing.ts'
import { createApp } from './app.ts'
import { HttpServers } from './http-server.ts'
import { checkFraming } from './malformed-requests.ts'
import type { TlsFiles } from './tls.ts'

export type Server = Awaited<ReturnType<typeof buildServer>>

/** Builds the server of the process: the service at the root, the log and the drain. */
export async function buildServer(settings: ProcessSettings, db: Db, tls?: TlsFiles) {
  const drain = new Drain()
  const servers = new HttpServers(drain, tls)
  const figures = new Metrics()
  const app = await createApp(settings, {
    serverFactory: handler => servers.create(handler as RequestListener),
    // What the addresses in the log and the issuer begin with; the factory has the files.
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
  const readiness = new Readiness({ db, draining: drain.announced, log: app.log })
  app.decorate('productReadiness', readiness)
  await app.register(processMetrics, { figures })
  // With HEALTH_PORT they are there.
  const metrics =
    settings.healthPort === undefined && (settings.metrics ?? settings.environment !== 'production')
  const tracer = await openTracing(app, figures)
  const { explorer } = settings
  const options = {
    ...pickServiceSettings(settings),
    db,
    figures,
    explorer,
    metrics,
    ...(tracer && { tracer })
  }
  await app.register(productTemplates, options)
  return { app, servers, drain, readiness, figures }
}

const addCommonHeaders: onRequestHookHandler = (request, reply, done) => {
  reply.header('X-Content-Type-Options', 'nosniff')
  reply.header('X-Request-Id', request.id)
  // Behind a trusted proxy with TLS, RFC 6797 §7.2.
  if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000')
  done()
}

/**
 * Returns Fastify's `trustProxy`. The peer of a Unix domain socket has no address: it counts as one of the proxies. With
 * TCP a missing address means that the client is gone.
 */
export function selectProxies({ trustProxy, socketPath }: ProcessSettings) {
  if (trustProxy === undefined || socketPath === undefined) return trustProxy ?? false
  const isTrusted = proxyAddress.compile(trustProxy.split(',').map(network => network.trim()))
  return (address: string | undefined, hop = 0) => address === undefined || isTrusted(address, hop)
}
