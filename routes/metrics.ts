import type { FastifyReply } from 'fastify'
import type { Metrics } from '../runtime/metrics/metrics.ts'
import { sendOwn } from './responses/send.ts'
import type { Route } from './route.ts'

/** Sends the metrics for Prometheus. */
export const metrics: Route = app => ({
  config: { productIsProbe: true },
  handler: async ({ headers }, reply) => {
    const { contentType, text } = await app.productMetrics.text(headers.accept)
    sendOwn(reply, text, { 'Content-Type': contentType, 'Cache-Control': 'no-store' })
    return reply
  }
})

/** Sends metrics on the listener of the probes, which only operators can reach. */
export async function sendMetrics(reply: FastifyReply, metrics: Metrics): Promise<FastifyReply> {
  const { contentType, text } = await metrics.text(reply.request.headers.accept)
  return reply.type(contentType).header('Cache-Control', 'no-store').send(text)
}
