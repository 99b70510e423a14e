import type { FastifyRequest } from 'fastify'

/**
 * Every Authorization header of a request: Node's `headers` keeps the first of several. From the raw ones, which
 * HTTP/2 and `app.inject` have too.
 */
export function authorizationHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization'
  )
}
