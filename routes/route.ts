import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestHookHandler,
  RouteOptions
} from 'fastify'
import type { Scope, WantedEndpoint } from '../domain/rights.ts'
import type { ServiceSettings } from '../options/index.ts'
import { methodNotAllowed } from '../runtime/errors.ts'

/** The service authenticates clients in `preValidation`. */
type RouteParts = Omit<RouteOptions, 'method' | 'url' | 'preValidation'>

/** A route without its method, path and credentials, which the table of endpoints has. */
export type Route = (app: FastifyInstance, settings: ServiceSettings) => RouteParts

/** What endpoints of a kind share. */
export interface EndpointKind {
  /** The credentials, which `register.ts` requires before the hooks of the route. A login page asks for them itself. */
  auth: 'Basic' | 'Basic or `client_id`' | 'Bearer' | 'login page' | 'none'
  /** The plugin of the scope that these endpoints share: body parsers, error format, limits. */
  plugin?: FastifyPluginCallback<ServiceSettings>
  /** The option of the core that adds these endpoints. Those of a feature follow its `isOn`. */
  onlyWith?: 'explorer' | 'metrics'
  /** The endpoint that tokens must be for, by default `/graphql`. */
  acceptsTokensFor?: WantedEndpoint
  /** Whether the handler calls `checkTokenAgain`, so that the hook may accept a token that was valid before. */
  checksTokenAgain?: true
  /** Makes the hook that runs before the credentials are checked. */
  beforeAuth?: (settings: ServiceSettings) => onRequestHookHandler
  /** The web pages that may read the responses: pages of any origin, or of CORS_ORIGINS. */
  crossOrigin?: 'any' | 'listed'
}

/** A method of a path. */
export interface EndpointMethod {
  route: Route
  /** A sentence for the documentation. */
  summary: string
  /** A Bearer token must have one of these. If there are none, every token is refused. */
  scopes?: Scope[]
}

/** The kind of a path and its methods. */
export interface PathItem {
  kind: EndpointKind
  GET?: EndpointMethod
  POST?: EndpointMethod
}

/** Formats a request for the log. It has the path of the route, because clients put secrets in URLs. */
export const formatRequest = ({ method, routeOptions, ip: remoteAddress }: FastifyRequest) => ({
  method,
  path: routeOptions.url,
  remoteAddress
})

/** Whether the service serves the explorer, so that its pages can lead there. */
export const hasExplorer = ({ server }: FastifyReply): boolean =>
  server.hasRoute({ method: 'GET', url: `${server.prefix.replace(/\/$/, '')}/explorer/:name` })

/** Options that all routes of a path share. */
type Common = Pick<RouteOptions, 'url' | 'logSerializers' | 'config' | 'onResponse'>

/** Refuses all other methods with 405 and `Allow` before the body is read, RFC 9110 §15.5.6. */
export function refuseOtherMethods(scope: FastifyInstance, common: Common): void {
  // HEAD is looked up, too, because a host or a route may have turned it off.
  const path = scope.prefix.replace(/\/$/, '') + common.url
  // If a host sets `ignoreTrailingSlash`, `/prefix/` is only `/prefix`.
  const paths = [path, path.replace(/(?<=.)\/$/, '')]
  const isThere = (method: string) =>
    paths.some(url => scope.hasRoute({ method: method as HTTPMethods, url }))
  const allowed = scope.supportedMethods.filter(isThere).sort()
  scope.route({
    ...common,
    method: scope.supportedMethods.filter(method => !allowed.includes(method)),
    // The error is thrown in preParsing, so that the onRequest hooks count the request.
    preParsing: async (_request, reply) => {
      reply.header('Allow', allowed.join(', '))
      throw methodNotAllowed()
    },
    handler: async () => {}
  })
}
