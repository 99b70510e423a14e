import { unavailable } from '../errors.ts'
import { httpErrorBody } from '../plugins/error-handler.ts'
import { Readiness, type Report } from './readiness.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Level of the line of the log for a request; `info` if omitted. */
    productLogLevel?: 'debug'
  }
}

const ok = { status: 'ok' }
const config = { productLogLevel: 'debug' } as const

/** Liveness: if this fails, restart the process. */
export const livez: Route = () => ({ config, handler: async () => ok })

/** Whether the start has finished. The service listens only after that; `HEALTH_PORT` responds before. */
export const startupz: Route = () => ({ config, handler: async () => ok })

/** Readiness, including the database: if this fails, send no requests here. */
export const readyz: Route = app => {
  const { productStore: db, productDrain, log } = app
  const readiness = app.productReadiness ?? new Readiness({ db, draining: productDrain?.announced, log })
  return {
    config,
    handler: async (_request, reply) => {
      const report = await readiness.read()
      if (report.status === 'ok') return report
      return reply.code(503).header('Retry-After', 1).send(formatUnready(report))
    }
  }
}

/** The report in the form of an error. */
export const formatUnready = (report: Report) => ({ ...httpErrorBody(unavailable(report)), ...report })
