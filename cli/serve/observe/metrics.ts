import { promisify } from 'node:util'
import fp from 'fastify-plugin'
import type { Metrics } from '../../../metrics/metrics.ts'
import { observeProcess } from '../../../metrics/process.ts'
import { countResponses } from '../../../plugins/metrics.ts'
import { readVersion } from '../../version.ts'

/** Adds the figures of the process and of its server, and counts requests for unknown paths. */
export const processMetrics = fp<{ figures: Metrics }>(async (app, { figures }) => {
  figures.gauge('build_info').set({ version: readVersion(), node: process.version }, 1)
  figures.onScrape(async () => ({
    http_connections: await promisify(app.server.getConnections.bind(app.server))()
  }))
  app.addHook('onClose', observeProcess(figures))
  const countUnknown = countResponses(figures, 'unknown')
  app.addHook('onResponse', function (request, reply, done) {
    if (request.is404) countUnknown.call(this, request, reply, done)
    else done()
  })
})
