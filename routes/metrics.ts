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
