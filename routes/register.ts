import type { FastifyInstance, FastifyPluginAsync, HTTPMethods } from 'fastify'
import type { ServiceSettings } from '../options/index.ts'
import { requireToken } from '../plugins/authentication/bearer-auth.ts'
import { answerPublicPreflight } from '../plugins/headers.ts'
import { countResponses } from '../runtime/metrics/metrics.ts'
import { changeStreams } from './changes/index.ts'
import { listEndpoints } from './index.ts'
import { createAddressLimit } from './oauth/request-limits.ts'
import { type EndpointKind, type EndpointMethod, formatRequest, refuseOtherMethods } from './route.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request of an address. Throws 429 beyond the limit. */
    productAddressLimit: (request: FastifyRequest) => Promise<void>
  }
}

/** The log of a host uses them, too. */
const logSerializers = { req: formatRequest }

interface RoutesOptions extends ServiceSettings {
  explorer?: boolean | undefined
  metrics?: boolean | undefined
}

/** Registers every endpoint. Endpoints with the same plugin share a scope. */
export const routes: FastifyPluginAsync<RoutesOptions> = async (
  app,
  { explorer = false, metrics = false, ...settings }
) => {
  app.decorate('productAddressLimit', createAddressLimit(app, settings))
  // This is above the scopes, because subscriptions to GraphQL count as streams of changes.
  await app.register(changeStreams, settings)
  const enabled = { explorer, metrics }
  const endpoints = listEndpoints(app.productServerAdditions)
  const wanted = endpoints.filter(({ onlyWith }) => onlyWith === undefined || enabled[onlyWith])
  for (const { acceptsTokensFor = 'any' } of wanted)
    if (acceptsTokensFor !== 'any') app.productTokens.endpoints.add(acceptsTokensFor)
  for (const [plugin, sharing] of Map.groupBy(wanted, ({ plugin }) => plugin)) {
    await app.register(async scope => {
      if (plugin) await scope.register(plugin, settings)
      for (const { path, methods, ...kind } of sharing) {
        const { crossOrigin, acceptsTokensFor } = kind
        const common = {
          url: path,
          logSerializers,
          config: { productCrossOrigin: crossOrigin, productTokensFor: acceptsTokensFor },
          onResponse: countResponses(app.productMetrics, path)
        }
        for (const [method, endpoint] of Object.entries(methods)) {
          const secured = requireCredentials(scope, settings, { ...kind, ...endpoint })
          scope.route({ method: method as HTTPMethods, ...common, ...secured })
        }
        if (crossOrigin === 'any')
          scope.route({ method: 'OPTIONS', ...common, handler: answerPublicPreflight })
        refuseOtherMethods(scope, common)
      }
    })
  }
}

/** Makes a route that requires its credentials before its own hooks run. */
function requireCredentials(
  app: FastifyInstance,
  settings: ServiceSettings,
  { auth, beforeAuth, checksTokenAgain: mayUseCache, route, scopes = [] }: EndpointKind & EndpointMethod
) {
  const { onRequest = [], ...parts } = route(app, settings)
  return {
    ...parts,
    onRequest: [
      beforeAuth?.(settings) ?? [],
      auth === 'Bearer' ? requireToken(app, scopes, { mayUseCache }) : [],
      onRequest
    ].flat(),
    // A client is checked after parsing, so that a wrong media type or size is reported first.
    preValidation: [
      auth === 'Basic' ? app.productRequireClientSecret : [],
      auth === 'Basic or `client_id`' ? app.productRequireClient : []
    ].flat()
  }
}
