import type { FastifyRequest } from 'fastify'

/** A request as the log has it: without the query string, where clients put secrets in spite of RFC 6750 §5.3. */
export const requestLine = (request: FastifyRequest) => ({
  method: request.method,
  path: request.url.split('?', 1)[0],
  remoteAddress: request.ip
})
