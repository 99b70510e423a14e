import type { FastifyReply } from 'fastify'
import type { Scrape } from '../metrics/metrics.ts'
import { sendBody } from './responses/send.ts'
import type { Route } from './route.ts'

/** Sends the metrics for Prometheus. */
export const metrics: Route = app => ({
  config: { productIsProbe: true },
  handler: async ({ headers }, reply) => {
    const pending = app.productPendingResponses.open(reply.raw)
    const { contentType, text } = await app.productMetrics.text(headers.accept)
    const body = Buffer.from(text)
    pending.add(body.length)
    sendBody(reply.type(contentType).header('Cache-Control', 'no-store'), [body], pending)
    return reply
  }
})

/** Sends metrics on the listener of the probes, which only operators can reach. */
export const sendMetrics = (reply: FastifyReply, { contentType, text }: Scrape): FastifyReply =>
  reply.type(contentType).header('Cache-Control', 'no-store').send(text)
