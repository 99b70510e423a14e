import type { FastifyRequest } from 'fastify'

/** Formats a request for the log, without the query string: clients put secrets there despite RFC 6750 §5.3. */
export const requestLine = (request: FastifyRequest) => ({
  method: request.method,
  path: request.url.split('?', 1)[0],
  remoteAddress: request.ip
})
