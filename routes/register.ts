import type { FastifyPluginAsync, HTTPMethods } from 'fastify'
import type { ServiceSettings } from '../options/index.ts'
import { answerPublicPreflight } from '../plugins/headers.ts'
import { countResponses } from '../runtime/metrics/metrics.ts'
import { changesProtocol } from './changes/index.ts'
import { listEndpoints } from './index.ts'
import { createAddressLimit } from './oauth/protocol.ts'
import { formatRequest, refuseOtherMethods } from './route.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request of an address. Throws 429 beyond the limit. */
    productAddressLimit: (request: FastifyRequest) => Promise<void>
  }
}

/** Also used in a host's log. */
const logSerializers = { req: formatRequest }

interface RoutesOptions extends ServiceSettings {
  explorer?: boolean | undefined
  metrics?: boolean | undefined
}

/** Registers every endpoint, one scope per protocol. */
export const routes: FastifyPluginAsync<RoutesOptions> = async (
  app,
  { explorer = false, metrics = false, ...settings }
) => {
  app.decorate('productAddressLimit', createAddressLimit(app, settings))
  // Above the scopes, because subscriptions to GraphQL count as streams of changes.
  await app.register(changesProtocol, settings)
  const enabled = { explorer, metrics }
  const endpoints = listEndpoints(app.productFeatureServers)
  const wanted = endpoints.filter(({ onlyWith }) => onlyWith === undefined || enabled[onlyWith])
  for (const [protocol, ofProtocol] of Map.groupBy(wanted, ({ protocol }) => protocol)) {
    await app.register(async scope => {
      if (protocol) await scope.register(protocol, settings as never)
      for (const { path, methods, crossOrigin, tokensFor } of ofProtocol) {
        const common = {
          url: path,
          logSerializers,
          config: { productCrossOrigin: crossOrigin, productEndpoint: tokensFor },
          onResponse: countResponses(app.productMetrics, path)
        }
        for (const [method, [route]] of Object.entries(methods))
          scope.route({ method: method as HTTPMethods, ...common, ...route(scope, settings) })
        if (crossOrigin === 'any')
          scope.route({ method: 'OPTIONS', ...common, handler: answerPublicPreflight })
        refuseOtherMethods(scope, common)
      }
    })
  }
}
