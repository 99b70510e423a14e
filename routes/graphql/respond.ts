import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { type Version, type Versions, versionsOf } from '../../db/versions.ts'
import { unavailable } from '../../errors.ts'
import type { NamedOperation } from '../../metrics/operations.ts'
import type { ServiceSettings } from '../../options.ts'
import type { GraphqlRequest } from '../../plugins/graphql.ts'
import type { AccessTokenClaims } from '../../plugins/tokens.ts'
import { acceptedCoding } from '../responses/content-coding.ts'
import { joinOwnBytes } from '../responses/own-bytes.ts'
import type { PendingResponse } from '../responses/pending-responses.ts'
import { reserveShared } from '../responses/send.ts'
import { type Answer, answerTo, asksForCost } from './answer.ts'
import { maxKeyLength, toCacheKey } from './cache-key.ts'
import { acceptedMediaType, type MediaType } from './media-type.ts'
import type { KeptResponse, ResponseCache } from './response-cache.ts'
import type { Shared } from './running-responses.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its response was kept. */
    productKept: boolean
  }
}

/** How requests come by one method, and how their responses are sent. */
export interface Method {
  /** The parameters as they came; undefined if a hook may have replaced them. */
  raw(request: FastifyRequest): string | undefined
  parse(request: FastifyRequest): Promise<GraphqlRequest>
  /** Throws if operations of a type are refused. */
  refuse?(reply: FastifyReply, type: OperationTypeNode): void
  /** Without the reply as its result: a promise of a reply waits until it is sent. */
  send(request: FastifyRequest, reply: FastifyReply, answer: Answer): void | Promise<void>
  sendKept(request: FastifyRequest, reply: FastifyReply, kept: Representation): void | Promise<void>
}

/** The bytes of a complete response to a query, which several requests get. */
export interface Representation {
  type: MediaType
  /** Without a coding. */
  plain: Buffer
  body: Buffer
  /** Content-Encoding of `body`. */
  coding?: string
  /** Its memory, if it is large. */
  pending?: PendingResponse | undefined
}

/** A request with what its response depends on. */
interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  type: MediaType
  scope: string
  version: string
}

/** Answers the requests of a method: with what is kept, by joining what is in progress, or by executing them. */
export class Responder {
  readonly #app: FastifyInstance
  readonly #settings: ServiceSettings
  readonly #method: Method
  readonly #versions: Versions
  readonly #cache: ResponseCache

  constructor(app: FastifyInstance, settings: ServiceSettings, method: Method) {
    this.#app = app
    this.#settings = settings
    this.#method = method
    this.#versions = versionsOf(app.productStore)
    this.#cache = app.productResponseCache
  }

  /** Not async, because most responses are kept, and a promise more for each of them is felt. */
  readonly handle = (request: FastifyRequest, reply: FastifyReply): void => {
    // After the body has arrived: what was committed before the request was complete is in its response.
    this.#versions.now().then(
      version => this.#respond(request, reply, version),
      error => reply.send(error)
    )
  }

  #respond(request: FastifyRequest, reply: FastifyReply, version: Version): void {
    try {
      const exchange = toExchange(request, reply, version.templates)
      const confirming = this.#app.productConfirmToken(request, reply, version)
      const answering = confirming ? confirming.then(() => this.#find(exchange)) : this.#find(exchange)
      if (answering) answering.catch((error: unknown) => reply.send(error))
    } catch (error) {
      reply.send(error)
    }
  }

  #find(exchange: Exchange): void | Promise<void> {
    if (!this.#cache.isOn || asksForCost(exchange.request) || isLong(exchange.request))
      return this.#answerAlone(exchange)
    const raw = this.#rawKey(exchange)
    const kept = raw === undefined ? undefined : this.#cache.findRaw(raw, exchange.version)
    return kept ? this.#sendKept(exchange, kept) : this.#answer(exchange, raw)
  }

  /** The request as it came, with what else its response depends on. */
  #rawKey({ request, type, scope }: Exchange): string | undefined {
    const raw = this.#method.raw(request)
    return raw === undefined ? undefined : `${type} ${scope}\n${raw}`
  }

  #sendKept({ request, reply, type }: Exchange, kept: KeptResponse) {
    request.productKept = true
    request.productOperation = kept.operation
    kept.operation.figures.kept.inc()
    this.#cache.hits++
    const { body: plain, coded } = kept
    const accepted = request.headers['accept-encoding']
    const coding = accepted === undefined ? undefined : acceptedCoding(String(accepted))
    if (coding === undefined) return this.#send(request, reply, { type, plain, body: plain })
    const body = coded.get(coding)
    if (body === undefined) this.#cache.compressLater(kept, coding)
    const isShorter = body !== undefined && body !== plain
    const chosen = isShorter ? { type, plain, body, coding } : { type, plain, body: plain }
    return this.#send(request, reply, chosen)
  }

  /** Sends bytes that several requests get. Throws 503 before any header is set if there is too little memory. */
  #send(request: FastifyRequest, reply: FastifyReply, chosen: Representation) {
    const pending = reserveShared(reply, chosen.body, this.#app.productPendingResponses)
    return this.#method.sendKept(request, reply, { ...chosen, pending })
  }

  async #answerAlone(exchange: Exchange): Promise<void> {
    const { request, reply } = exchange
    const parameters = await this.#method.parse(request)
    return this.#method.send(request, reply, await this.#execute(exchange, parameters))
  }

  async #answer(exchange: Exchange, raw: string | undefined): Promise<void> {
    const { request, reply, type, scope, version } = exchange
    const parameters = await this.#method.parse(request)
    const key = toCacheKey(scope, type, parameters)
    if (key === undefined) return this.#method.send(request, reply, await this.#execute(exchange, parameters))
    const kept = this.#cache.find(key, version)
    if (kept) {
      if (raw !== undefined) this.#cache.learn(raw, key)
      return this.#sendKept(exchange, kept)
    }
    const since = performance.now()
    // After a failure, the first waiting request finds nothing to join, so it executes. The others then join it.
    for (let joined = this.#cache.join(key, version); joined; joined = this.#cache.join(key, version)) {
      const outcome = await joined
      if (outcome === 'unshared') break
      if (outcome !== 'failed') return this.#sendShared(exchange, outcome)
      if (performance.now() - since > 1000 * this.#settings.graphqlTimeout)
        throw unavailable('the equal requests that this one waited for have failed')
    }
    this.#cache.misses++
    return this.#method.send(request, reply, await this.#lead(exchange, parameters, { raw, key }))
  }

  #sendShared({ request, reply, type }: Exchange, { body: plain, operation }: Shared) {
    request.productOperation = operation
    operation.figures.shared.inc()
    return this.#send(request, reply, { type, plain, body: plain })
  }

  /** Executes a request, and lets others join it. */
  async #lead(
    exchange: Exchange,
    parameters: GraphqlRequest,
    { raw, key }: { raw: string | undefined; key: string }
  ): Promise<Answer> {
    const { version } = exchange
    const running = this.#cache.begin(key, version)
    try {
      const answer = await this.#execute(exchange, parameters, {
        onType: type => {
          if (type !== OperationTypeNode.QUERY) running.end('unshared')
        },
        // Nobody else waits for the place of this token.
        onWait: () => running.end('failed')
      })
      // Asked in any case: it remembers the request.
      const isRepeated = this.#cache.isRepeated(key) || running.isJoined
      if (answer.complete && !answer.isLasting) running.end('unshared')
      if (!answer.complete || !answer.isLasting || !isRepeated) return answer
      const whole = joinOwnBytes(answer.body)
      const operation = exchange.request.productOperation as NamedOperation
      running.end({ body: whole, operation })
      void this.#keepIfCurrent(version, { raw, key, body: whole, operation })
      return { ...answer, body: [whole] }
    } finally {
      running.end('failed')
    }
  }

  async #keepIfCurrent(
    version: string,
    { raw, key, body, operation }: Omit<KeptResponse, 'version' | 'coded'> & { raw: string | undefined }
  ): Promise<void> {
    const after = await this.#versions.now().catch(() => undefined)
    if (after?.templates !== version) return
    this.#cache.keep({ key, version, body, operation, coded: new Map() })
    if (raw !== undefined) this.#cache.learn(raw, key)
  }

  async #execute(
    { request, reply, type, version }: Exchange,
    parameters: GraphqlRequest,
    { onType, onWait }: { onType?: (type: OperationTypeNode) => void; onWait?: () => void } = {}
  ): Promise<Answer> {
    await this.#app.productTurns.next(request.productToken?.jti ?? '')
    return answerTo(request, reply, parameters, {
      app: this.#app,
      settings: this.#settings,
      type,
      version,
      onType: type => {
        this.#method.refuse?.(reply, type)
        onType?.(type)
      },
      onWait
    })
  }
}

/** Whether a key would be long, and making it would take much memory. */
const isLong = ({ body }: FastifyRequest): boolean => Buffer.isBuffer(body) && body.length > maxKeyLength

function toExchange(request: FastifyRequest, reply: FastifyReply, version: string): Exchange {
  // `checkHeaders` has refused all other media types.
  const type = acceptedMediaType(request.headers.accept) ?? 'application/json'
  const { scope } = request.productToken as AccessTokenClaims
  return { request, reply, type, scope, version }
}
