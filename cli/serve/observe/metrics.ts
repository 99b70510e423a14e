import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Collection } from '../../../metrics/collection.ts'
import type { Metrics } from '../../../metrics/metrics.ts'
import { ProcessFigures } from '../../../metrics/process.ts'
import { countResponses } from '../../../plugins/metrics.ts'
import { readVersion } from '../../version.ts'

/** Adds the figures of the process and of its server, and counts requests for unknown paths. */
export const processMetrics = fp<{ figures: Metrics }>(async (app, { figures }) => {
  const ofProcess = new ProcessFigures()
  const labels = { version: readVersion(), node: process.version }
  figures.onCollect(async to => {
    to.add('build_info', 1, labels)
    await Promise.all([ofProcess.collect(to), countConnections(app, to)])
  })
  app.addHook('onClose', async () => ofProcess.close())
  const countUnknown = countResponses(figures, 'unknown')
  app.addHook('onResponse', function (request, reply, done) {
    if (request.is404) countUnknown.call(this, request, reply, done)
    else done()
  })
})

function countConnections({ server }: FastifyInstance, to: Collection): Promise<void> {
  return new Promise(resolve => {
    server.getConnections((_error, count = 0) => {
      to.add('http_connections', count)
      resolve()
    })
  })
}
