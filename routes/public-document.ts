import type { onRequestAsyncHookHandler, RouteOptions } from 'fastify'

/** Seconds a browser may remember that it is allowed to ask. */
const preflightMaxAge = 86_400

/** Lets scripts of any web page read the response, also an error. Nothing in it depends on cookies or tokens. */
export const allowAnyOrigin: onRequestAsyncHookHandler = async (_request, reply) => {
  reply.headers({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' })
}

/** Answers the preflight request of a browser: `If-None-Match` needs one. */
export const preflight: Pick<RouteOptions, 'onRequest' | 'handler'> = {
  onRequest: allowAnyOrigin,
  handler: async (_request, reply) =>
    reply
      .code(204)
      .headers({
        Allow: 'GET, HEAD, OPTIONS',
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': '*',
        'Access-Control-Max-Age': preflightMaxAge
      })
      .send()
}
