import type { FastifyReply } from 'fastify'
import { unavailable } from '../errors.ts'
import { httpErrorBody } from '../plugins/error-handler.ts'
import { Readiness, type Report } from './readiness.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Level of the log line of a request; `info` if omitted. */
    productLogLevel?: 'debug'
  }
}

export const ok = { status: 'ok' } as const
const config = { productLogLevel: 'debug' } as const

/** Liveness: if this fails, restart the process. */
export const livez: Route = () => ({ config, handler: async () => ok })

/** Whether the start has finished. The service listens only after that; `HEALTH_PORT` responds before. */
export const startupz: Route = () => ({ config, handler: async () => ok })

/** Readiness, including the database: if this fails, send no requests here. */
export const readyz: Route = app => {
  const { productStore: db, productDrain, log } = app
  const readiness = app.productReadiness ?? new Readiness({ db, draining: productDrain?.announced, log })
  return { config, handler: async (_request, reply) => sendReport(reply, await readiness.read()) }
}

/** Sends the result of a probe, as an error if the process should get no requests. */
export function sendReport(reply: FastifyReply, report: Pick<Report, 'status'>): FastifyReply {
  if (report.status === 'ok') return reply.send(report)
  return reply
    .code(503)
    .header('Retry-After', 1)
    .send({ ...httpErrorBody(unavailable(report)), ...report })
}
