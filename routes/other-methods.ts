import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { methodNotAllowed } from '../errors.ts'

/** What all routes of a path have. */
type Common = Pick<RouteOptions, 'url' | 'logSerializers' | 'config' | 'onResponse'>

/** Refuses other methods with 405 and `Allow` before the body is read, RFC 9110 §15.5.6. */
export function refuseOtherMethods(scope: FastifyInstance, common: Common): void {
  // A host or a route may have switched HEAD off.
  const path = scope.prefix.replace(/\/$/, '') + common.url
  const isThere = (method: string) => scope.hasRoute({ method: method as HTTPMethods, url: path })
  const allowed = scope.supportedMethods.filter(isThere).sort()
  scope.route({
    ...common,
    method: scope.supportedMethods.filter(method => !allowed.includes(method)),
    // In preParsing, so that the onRequest hooks count the request.
    preParsing: async (_request, reply) => {
      reply.header('Allow', allowed.join(', '))
      throw methodNotAllowed()
    },
    handler: async () => {}
  })
}
