import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import { grantTypes } from '../accounts/rights.ts'
import type { ServiceSettings } from '../options.ts'
import { countResponses } from '../plugins/metrics.ts'
import { changesGet } from './changes/get.ts'
import { changesProtocol } from './changes/protocol.ts'
import { allowOrigins, preflight } from './cross-origin.ts'
import { graphqlGet } from './graphql/get.ts'
import { graphqlPost } from './graphql/post.ts'
import { graphqlProtocol } from './graphql/protocol.ts'
import { livez, readyz, startupz } from './health.ts'
import { metadata } from './metadata/index.ts'
import { metrics } from './metrics.ts'
import { countAddresses } from './oauth/address-limit.ts'
import { authorizeGet, authorizePost } from './oauth/authorize/index.ts'
import { introspect } from './oauth/introspect.ts'
import { logoutGet, logoutPost } from './oauth/logout.ts'
import { pageProtocol } from './oauth/pages/protocol.ts'
import { oauthProtocol } from './oauth/protocol.ts'
import { revoke } from './oauth/revoke.ts'
import { token } from './oauth/token.ts'
import { publicProtocol } from './public-protocol.ts'
import { type Route, refuseOtherMethods, requestLine } from './route.ts'
import { templateSchema } from './schemas/template.ts'
import { authorizationServer } from './well-known/authorization-server.ts'
import { jwks } from './well-known/jwks.ts'

export interface Endpoint {
  method: 'GET' | 'POST'
  path: string
  auth: 'Basic' | 'Bearer' | 'login page' | 'none'
  what: string
  route: Route
  /** Registers the body parsers and the error format. */
  protocol?: FastifyPluginCallback<ServiceSettings>
  /** The option that adds it. */
  onlyWith?: 'explorer' | 'metrics'
  /** Which web pages may read it: of any origin, or of CORS_ORIGINS. */
  crossOrigin?: 'any' | 'listed'
}

/** Every endpoint of the service. */
export const endpoints: Endpoint[] = [
  {
    method: 'GET',
    path: '/',
    auth: 'login page',
    what: 'the explorer, a web page for people; an option of the plugin',
    route: async (...given) => (await import('./explorer/page.ts')).page(...given),
    protocol: publicProtocol,
    onlyWith: 'explorer'
  },
  {
    method: 'GET',
    path: '/explorer/graphql',
    auth: 'login page',
    what: 'GraphiQL, a part of it',
    route: async (...given) => (await import('./explorer/page.ts')).ide(...given),
    protocol: publicProtocol,
    onlyWith: 'explorer'
  },
  {
    method: 'GET',
    path: '/explorer/:name',
    auth: 'none',
    what: 'its files, immutable',
    route: async (...given) => (await import('./explorer/file.ts')).file(...given),
    protocol: publicProtocol,
    onlyWith: 'explorer'
  },
  {
    method: 'GET',
    path: '/oauth/authorize',
    auth: 'login page',
    what: 'log a user in and send a code to the client (RFC 6749 §4.1, PKCE required)',
    route: authorizeGet,
    protocol: pageProtocol
  },
  {
    method: 'POST',
    path: '/oauth/authorize',
    auth: 'login page',
    what: 'the same with the parameters in a form',
    route: authorizePost,
    protocol: pageProtocol
  },
  {
    method: 'GET',
    path: '/oauth/logout',
    auth: 'login page',
    what: 'ask whether to log out of the login page',
    route: logoutGet,
    protocol: pageProtocol
  },
  {
    method: 'POST',
    path: '/oauth/logout',
    auth: 'login page',
    what: 'log out',
    route: logoutPost,
    protocol: pageProtocol
  },
  {
    method: 'POST',
    path: '/oauth/token',
    auth: 'Basic',
    what: `issue an access token (RFC 6749; grants ${grantTypes.join(', ')})`,
    route: token,
    protocol: oauthProtocol,
    crossOrigin: 'listed'
  },
  {
    method: 'POST',
    path: '/oauth/revoke',
    auth: 'Basic',
    what: 'revoke a token of the client (RFC 7009)',
    route: revoke,
    protocol: oauthProtocol,
    crossOrigin: 'listed'
  },
  {
    method: 'POST',
    path: '/oauth/introspect',
    auth: 'Basic',
    what: 'introspect a token (RFC 7662)',
    route: introspect,
    protocol: oauthProtocol
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    auth: 'none',
    what: 'public keys that verify the tokens (RFC 7517)',
    route: jwks,
    crossOrigin: 'listed'
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    auth: 'none',
    what: 'authorization server metadata (RFC 8414)',
    route: authorizationServer,
    crossOrigin: 'listed'
  },
  {
    method: 'POST',
    path: '/graphql',
    auth: 'Bearer',
    what: 'query the product templates; requires the scope `read`',
    route: graphqlPost,
    protocol: graphqlProtocol,
    crossOrigin: 'listed'
  },
  {
    method: 'GET',
    path: '/graphql',
    auth: 'Bearer',
    what: 'the same for queries in the URL, with an `ETag`',
    route: graphqlGet,
    protocol: graphqlProtocol,
    crossOrigin: 'listed'
  },
  {
    method: 'GET',
    path: '/metadata/:id.json',
    auth: 'none',
    what: 'metadata of a public template for wallets and marketplaces (EIP-721, EIP-1155)',
    route: metadata,
    protocol: publicProtocol,
    crossOrigin: 'any'
  },
  {
    method: 'GET',
    path: '/schemas/template.json',
    auth: 'none',
    what: 'JSON Schema of the document of a template',
    route: templateSchema,
    protocol: publicProtocol,
    crossOrigin: 'any'
  },
  {
    method: 'GET',
    path: '/changes',
    auth: 'Bearer',
    what: 'every committed change of the templates, as Server-Sent Events; requires the scope `read`',
    route: changesGet,
    protocol: changesProtocol,
    crossOrigin: 'listed'
  },
  {
    method: 'GET',
    path: '/metrics',
    auth: 'none',
    what: 'metrics for Prometheus; an option of the plugin',
    route: metrics,
    protocol: publicProtocol,
    onlyWith: 'metrics'
  },
  { method: 'GET', path: '/livez', auth: 'none', what: 'liveness: the process responds', route: livez },
  { method: 'GET', path: '/startupz', auth: 'none', what: 'the start has finished', route: startupz },
  {
    method: 'GET',
    path: '/readyz',
    auth: 'none',
    what: 'readiness: the database responds and takes writes, the service does not end',
    route: readyz
  }
]

/** Also used in a host's log. */
const logSerializers = { req: requestLine }

interface RoutesOptions extends ServiceSettings {
  /** Whether to serve the explorer. */
  explorer?: boolean | undefined
  /** Whether to serve the metrics. */
  metrics?: boolean | undefined
}

/** Registers every endpoint, one scope per protocol. */
export const routes: FastifyPluginAsync<RoutesOptions> = async (
  app,
  { explorer = false, metrics = false, ...settings }
) => {
  app.decorate('productCountAddress', countAddresses(app))
  const on = { explorer, metrics }
  const wanted = endpoints.filter(({ onlyWith }) => onlyWith === undefined || on[onlyWith])
  for (const [protocol, ofProtocol] of Map.groupBy(wanted, ({ protocol }) => protocol)) {
    await app.register(async scope => {
      // Before everything else, so that a page of an allowed origin can read every refusal.
      const allowListed = allowOrigins(settings)
      if (allowListed) scope.addHook('onRequest', allowListed)
      if (protocol) await scope.register(protocol, settings)
      for (const [path, methods] of Map.groupBy(ofProtocol, ({ path }) => path)) {
        const crossOrigin = methods[0]?.crossOrigin
        const common = {
          url: path,
          logSerializers,
          config: { productCrossOrigin: crossOrigin },
          onResponse: countResponses(app.productMetrics, path)
        }
        for (const { method, route } of methods)
          scope.route({ method, ...common, ...(await route(scope, settings)) })
        if (crossOrigin === 'any') scope.route({ method: 'OPTIONS', ...common, ...preflight })
        refuseOtherMethods(scope, common)
      }
    })
  }
}
