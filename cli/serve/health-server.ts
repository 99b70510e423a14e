import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import type { ProcessSettings } from '../../options/index.ts'
import { ok, type Readiness, sendReport } from '../../routes/health.ts'
import { refuseOtherMethods } from '../../routes/route.ts'
import { notFound } from '../../runtime/errors.ts'
import type { Metrics } from '../../runtime/metrics/metrics.ts'
import { CommandError } from '../../terminal/command.ts'
import { createApp } from './server.ts'

/** The data for the responses; empty until the start has finished. */
export interface HealthSources {
  readiness?: Readiness
  metricsRegistry?: Metrics
}

/** Milliseconds a client may take to send a request. */
const requestTimeout = 5000

const starting = { status: 'unavailable', checks: { start: 'running' } } as const

/**
 * If HEALTH_PORT is set, opens a listener for probes and metrics only, on all addresses: a kubelet and Prometheus come
 * from outside, even if the service itself listens on loopback. It responds from the beginning of the start,
 * during long migrations, until the end of the process. Throws CommandError if it cannot listen.
 */
export async function openHealthServer(
  settings: ProcessSettings,
  sources: HealthSources
): Promise<FastifyInstance | undefined> {
  const { healthPort: port } = settings
  if (port === undefined) return undefined
  const app = await createApp(settings, {
    requestTimeout,
    http: { headersTimeout: requestTimeout, connectionsCheckingInterval: 1000 },
    forceCloseConnections: true
  })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    done()
  })
  const handlers: Record<string, RouteHandlerMethod> = {
    '/livez': async () => ok,
    '/startupz': async (_request, reply) => sendReport(reply, sources.readiness ? ok : starting),
    '/readyz': async (_request, reply) => sendReport(reply, (await sources.readiness?.read()) ?? starting),
    '/metrics': async ({ headers }, reply) => {
      if (!sources.metricsRegistry) throw notFound()
      const { contentType, text } = await sources.metricsRegistry.text(headers.accept)
      return reply.type(contentType).send(text)
    }
  }
  for (const [url, handler] of Object.entries(handlers)) {
    const common = { url, config: { productIsProbe: true } } as const
    app.route({ method: 'GET', ...common, handler })
    refuseOtherMethods(app, common)
  }
  const listenTextResolver = (address: string) => `Probes at ${address}`
  const listen = (host: string) => app.listen({ host, port, listenTextResolver })
  // `::` also accepts IPv4. A system without IPv6 does not know it.
  const hasNoIpv6 = (error: NodeJS.ErrnoException) => /^(EAFNOSUPPORT|EADDRNOTAVAIL)$/.test(error.code ?? '')
  await listen('::')
    .catch(error => (hasNoIpv6(error) ? listen('0.0.0.0') : Promise.reject(error)))
    .catch(({ message }) => {
      throw new CommandError(`cannot listen for probes: ${message}; set HEALTH_PORT to another port`)
    })
  return app
}
