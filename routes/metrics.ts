import type { Route } from './route.ts'

/** The metrics for Prometheus. */
export const metrics: Route = app => ({
  // A scrape comes as often as a probe.
  config: { productLogLevel: 'debug' },
  handler: async ({ headers }, reply) => {
    const { contentType, text } = await app.productMetrics.text(headers.accept)
    return reply.type(contentType).header('Cache-Control', 'no-store').send(text)
  }
})
