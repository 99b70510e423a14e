import type { FastifyReply } from 'fastify'
import type { Formatted } from '../metrics/format.ts'
import type { Route } from './route.ts'

/** The metrics for Prometheus. */
export const metrics: Route = app => ({
  // A scrape comes as often as a probe.
  config: { productLogLevel: 'debug' },
  handler: async ({ headers }, reply) => sendMetrics(reply, await app.productMetrics.text(headers.accept))
})

export const sendMetrics = (reply: FastifyReply, { contentType, text }: Formatted): FastifyReply =>
  reply.type(contentType).header('Cache-Control', 'no-store').send(text)
