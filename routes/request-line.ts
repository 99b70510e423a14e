import type { FastifyRequest } from 'fastify'

/**
 * Formats a request for the log: with the path of the matching route, not the URL. Clients put secrets in paths and
 * query strings despite RFC 6750 §5.3.
 */
export const requestLine = ({ method, routeOptions, ip: remoteAddress }: FastifyRequest) => ({
  method,
  path: routeOptions.url,
  remoteAddress
})
