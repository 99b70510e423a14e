import type { FastifyRequest } from 'fastify'

/**
 * Returns every Authorization header of a request; Node's `headers` keeps only the first. Reads the raw headers, which
 * HTTP/2 and `app.inject` also provide.
 */
export function authorizationHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization'
  )
}
