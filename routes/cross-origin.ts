import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify'
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
 * Lets pages of other origins read the responses of a route, including errors, as the table of endpoints says: pages of any
 * origin, or those of the listed origins, whose preflight requests are answered before all other checks. Their requests have
 * no cookies, because Access-Control-Allow-Credentials is absent. @fastify/cors does the same, but decorates every request,
 * so it cannot be registered below a host that uses it.
 */
export function allowOrigins(settings: ServiceSettings): onRequestHookHandler {
  const origins = readOrigins(settings)
  const isForAll = origins.has('*')
  return (request, reply, done) => {
    const { productCrossOrigin } = request.routeOptions.config
    if (productCrossOrigin === 'any')
      reply.headers({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' })
    if (productCrossOrigin !== 'listed' || origins.size === 0) return done()
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

/** Answers the preflight request to a route that any page may read: `If-None-Match` needs one. */
export const answerPublicPreflight: RouteHandlerMethod = async (_request, reply) =>
  reply
    .code(204)
    .headers({
      Allow: 'GET, HEAD, OPTIONS',
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': publicPreflightMaxAgeSeconds
    })
    .send()
