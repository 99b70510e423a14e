import type { FastifyRequest } from 'fastify'

/**
 * Returns every Authorization header of a request; Node's `headers` keeps only the first. Reads the raw headers, which
 * HTTP/2 and `app.inject` also provide.
 */
export function authorizationHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  const found: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    // Compares the length first, which is fast, because this runs for every request.
    if (rawHeaders[index]?.length === 13 && rawHeaders[index]?.toLowerCase() === 'authorization')
      found.push(rawHeaders[index + 1] as string)
  return found
}
