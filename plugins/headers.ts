/** Headers that all endpoints read or send alike. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import type { ServiceSettings } from '../options/index.ts'
import { toNames } from '../runtime/lists.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The web pages that may read the responses. */
    productCrossOrigin?: 'any' | 'listed' | undefined
  }
}

/** Seconds that a browser may cache a preflight response; browsers cache it for at most two hours. */
const preflightMaxAgeSeconds = 7200
const publicPreflightMaxAgeSeconds = 86_400

/**
 * The headers that the service reads. A page may send any headers: a preflight response allows those that its request
 * names, such as the headers of a library for tracing, because `*` would not include Authorization, Fetch Standard
 * §3.2.3. It also allows these. The browser caches the response, so a later request with others of these headers needs
 * no other preflight.
 */
const requestHeaders =
  'Authorization, Content-Type, GraphQL-Cost, Idempotency-Key, If-None-Match, Last-Event-ID, Traceparent, Tracestate, X-Request-Id'
const responseHeaders = 'ETag, Retry-After, WWW-Authenticate, X-Request-Id'

/**
 * Tells browsers not to guess media types, and lets pages of other origins read the responses of a route, including
 * errors. The table of endpoints says which: pages of any origin, or of the listed origins, whose preflight requests
 * are answered before all other checks. These requests have no cookies: Access-Control-Allow-Credentials is absent.
 * @fastify/cors does the same, but decorates every request, so it cannot be registered below a host that uses it.
 */
export const headers = fp<Pick<ServiceSettings, 'corsOrigins'>>(
  async (app, settings) => {
    const origins = readOrigins(settings)
    const isForAll = origins.has('*')
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('X-Content-Type-Options', 'nosniff')
      const { productCrossOrigin } = request.routeOptions.config
      if (productCrossOrigin === 'any')
        reply.headers({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' })
      if (productCrossOrigin !== 'listed') return done()
      if (isForeign(request, reply) && !isForAll && !origins.has(request.headers.origin ?? ''))
        request.log.info(
          { origin: request.headers.origin?.slice(0, maxOriginLength) },
          'a web page of another origin may not read the response: CORS_ORIGINS does not list it'
        )
      if (origins.size === 0) return done()
      // A cache may return to a page what it stored for a request without an origin. So `*` has the header always.
      const origin = isForAll ? '*' : request.headers.origin
      if (!isForAll) addVary(reply, 'Origin')
      if (origin === undefined || !origins.has(origin)) return done()
      reply.header('Access-Control-Allow-Origin', origin)
      if (isPreflight(request)) return void answerPreflight(request, reply)
      reply.header('Access-Control-Expose-Headers', responseHeaders)
      done()
    })
  },
  { name: 'product-headers', fastify: '5.x' }
)

/** Reads the listed origins; `*` stands for all. */
export const readOrigins = ({ corsOrigins = '' }: Pick<ServiceSettings, 'corsOrigins'>) =>
  new Set(toNames(corsOrigins))

/** Whether a request comes from no page, from a page of the service itself or from a listed page. */
export const isKnownOrigin = (origin: string | undefined, listed: Set<string>, issuer: string): boolean =>
  origin === undefined || origin === new URL(issuer).origin || listed.has(origin) || listed.has('*')

/** Maximum characters of an origin in the log. */
const maxOriginLength = 200

/** Whether the request is of a page of another origin, and the host has not allowed that origin itself. */
const isForeign = (request: FastifyRequest, reply: FastifyReply): boolean =>
  request.headers.origin !== undefined &&
  (isPreflight(request) || /^(cross|same)-site$/.test(String(request.headers['sec-fetch-site']))) &&
  !reply.hasHeader('access-control-allow-origin')

/** Fetch Standard §3.2.2. */
const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  addVary(reply, 'Access-Control-Request-Headers, Access-Control-Request-Method')
  return reply
    .code(204)
    .headers({
      // Any method may be sent; the request itself is refused if the method is not allowed.
      'Access-Control-Allow-Methods': headers['access-control-request-method'],
      'Access-Control-Allow-Headers': [requestHeaders, headers['access-control-request-headers']]
        .filter(Boolean)
        .join(', '),
      'Access-Control-Max-Age': preflightMaxAgeSeconds
    })
    .send()
}

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

/** Adds names of headers to the Vary header of a response. The host may have set other names. */
export function addVary(reply: FastifyReply, names: string): void {
  const given = reply.getHeader('vary')
  reply.header('Vary', given === undefined ? names : [given, names].flat().join(', '))
}

/** Whether a body is uncompressed and in UTF-8. */
export function isPlainUtf8({
  'content-type': type = '',
  'content-encoding': encoding = 'identity'
}: IncomingHttpHeaders): boolean {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]*)/i.exec(type) ?? []
  return charset.toLowerCase() === 'utf-8' && encoding.toLowerCase() === 'identity'
}

/** Returns every header of this name, in lower case, from the raw ones; Node's `headers` keeps only the first. */
export function listHeaders({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  const found: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    // Compares the length first, which is fast, because this runs for every request.
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      found.push(rawHeaders[index + 1] as string)
  return found
}
