import type {
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  RouteOptions
} from 'fastify'
import { toNames } from '../options/lists.ts'
import type { ServiceSettings } from '../options.ts'
import { addVary } from './responses/negotiation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The web pages that may read the responses. */
    productCrossOrigin?: 'any' | 'listed' | undefined
  }
}

/** Seconds that a browser may cache a preflight response; browsers cache it for at most two hours. */
const preflightMaxAgeSeconds = 7200
const publicPreflightMaxAgeSeconds = 86_400

/** `*` would not include Authorization, Fetch Standard §3.2.3. */
const requestHeaders =
  'Authorization, Content-Type, GraphQL-Cost, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Traceparent, Tracestate, X-Request-Id'
const responseHeaders = 'ETag, Retry-After, WWW-Authenticate, X-Request-Id'

/**
 * Lets the pages of the listed origins read responses, including errors, and answers their preflight requests before
 * all other checks. Their requests have no cookies, because Access-Control-Allow-Credentials is absent. @fastify/cors
 * does the same, but decorates every request, so it cannot be registered below a host that uses it.
 */
export function allowOrigins(settings: ServiceSettings): onRequestHookHandler | undefined {
  const origins = readOrigins(settings)
  if (origins.size === 0) return undefined
  const isForAll = origins.has('*')
  return (request, reply, done) => {
    if (request.routeOptions.config.productCrossOrigin !== 'listed') return done()
    // A cache may store the response to a request without an origin and return it to a page. So with `*`, each response
    // has the header.
    const origin = isForAll ? '*' : request.headers.origin
    if (!isForAll) addVary(reply, 'Origin')
    if (origin === undefined || !origins.has(origin)) return done()
    reply.header('Access-Control-Allow-Origin', origin)
    if (isPreflight(request)) return void answerPreflight(request, reply)
    reply.header('Access-Control-Expose-Headers', responseHeaders)
    done()
  }
}

/** Reads the listed origins; `*` stands for all. */
export const readOrigins = ({ corsOrigins = '' }: ServiceSettings) => new Set(toNames(corsOrigins))

/** Fetch Standard §3.2.2. */
const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined

const answerPreflight = ({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .headers({
      // Any method may be sent; the request itself is refused if the method is not allowed.
      'Access-Control-Allow-Methods': headers['access-control-request-method'],
      'Access-Control-Allow-Headers': requestHeaders,
      'Access-Control-Max-Age': preflightMaxAgeSeconds
    })
    .send()

/**
 * Lets scripts of any web page read the response, including errors. The response does not depend on cookies or tokens.
 */
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
        'Access-Control-Max-Age': publicPreflightMaxAgeSeconds
      })
      .send()
}
