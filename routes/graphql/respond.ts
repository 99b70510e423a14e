import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { type Version, type Versions, versionsOf } from '../../db/versions.ts'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import type { NamedOperation } from '../../metrics/metrics.ts'
import type { ServiceSettings } from '../../options.ts'
import type { AccessTokenClaims } from '../../plugins/tokens.ts'
import { acceptedMediaType, contentType } from '../responses/negotiation.ts'
import { sendBody, sendShared } from '../responses/send.ts'
import {
  type CodedBody,
  joinOwnBytes,
  type KeptResponse,
  maxKeyLength,
  type ResponseCache,
  toCacheKey
} from './response-cache.ts'
import { type Answer, asksForCost, type Exchange, runRequest } from './run.ts'
import type { RunningResponse, RunningResponses } from './running-responses.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its response was kept. */
    productKept: boolean
  }
}

/** How requests come by one method. */
export interface Method {
  /** The parameters as they came; undefined if a hook may have replaced them. */
  raw(request: FastifyRequest): string | undefined
  parse(request: FastifyRequest): Promise<GraphqlRequest>
  /** Throws if operations of a type are refused. */
  refuse?(reply: FastifyReply, type: OperationTypeNode): void
  /** Sets the headers for the client's cache. Resolves with whether the client has this body. */
  isUnchanged?(exchange: Exchange, body: Buffer[], coding?: string): Promise<boolean>
}

/** Answers the requests of a method: with what is kept, by joining what is in progress, or by executing them. */
export class Responder {
  readonly #app: FastifyInstance
  readonly #settings: ServiceSettings
  readonly #method: Method
  readonly #versions: Versions
  readonly #cache: ResponseCache
  readonly #running: RunningResponses

  constructor(app: FastifyInstance, settings: ServiceSettings, method: Method) {
    this.#app = app
    this.#settings = settings
    this.#method = method
    this.#versions = versionsOf(app.productStore)
    this.#cache = app.productResponseCache
    this.#running = app.productRunningResponses
  }

  /** Not async, because most responses are kept, and one more promise for each of them is measurable. */
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
      const answering = confirming ? confirming.then(() => this.#answer(exchange)) : this.#answer(exchange)
      if (answering) answering.catch((error: unknown) => reply.send(error))
    } catch (error) {
      reply.send(error)
    }
  }

  #answer(exchange: Exchange): void | Promise<void> {
    const { request, type, scope, version } = exchange
    const given = this.#mayKeep(request) ? this.#method.raw(request) : undefined
    // The request as it came, with what else its response depends on.
    const raw = given === undefined ? undefined : `${type} ${scope}\n${given}`
    const kept = raw === undefined ? undefined : this.#cache.findRaw(raw, version)
    return kept ? this.#sendKept(exchange, kept) : this.#answerNew(exchange, raw)
  }

  #mayKeep(request: FastifyRequest): boolean {
    const { body } = request
    // Its key would be long, and making it would take much memory.
    const isLong = Buffer.isBuffer(body) && body.length > maxKeyLength
    return this.#cache.isOn && !isLong && !asksForCost(request)
  }

  async #answerNew(exchange: Exchange, raw: string | undefined): Promise<void> {
    const { request, type, scope, version } = exchange
    const parameters = await this.#method.parse(request)
    const key = this.#mayKeep(request) ? toCacheKey(scope, type, parameters) : undefined
    if (key === undefined) return this.#sendAnswer(exchange, await this.#run(exchange, parameters))
    const kept = this.#cache.find(key, version)
    if (kept) {
      if (raw !== undefined) this.#cache.learn(raw, key)
      return this.#sendKept(exchange, kept)
    }
    const found = await this.#running.joinOrBegin(`${version} ${key}`)
    if ('body' in found) {
      const { body, operation } = found
      operation.figures.shared.inc()
      return this.#sendShared(exchange, operation, { plain: body, body })
    }
    this.#cache.countMiss()
    const answer = await this.#lead(exchange, parameters, found, { raw, key })
    return this.#sendAnswer(exchange, answer)
  }

  /** Executes a request for itself and for those who join. */
  async #lead(
    exchange: Exchange,
    parameters: GraphqlRequest,
    running: RunningResponse,
    { raw, key }: { raw: string | undefined; key: string }
  ): Promise<Answer> {
    const { request, version } = exchange
    try {
      // The others do not wait for other operations of this token.
      if (this.#app.productTokenQueue.isFull(request.productToken?.jti ?? '')) running.end('abandoned')
      const answer = await this.#run(exchange, parameters, type => {
        // A mutation is never shared.
        if (type !== OperationTypeNode.QUERY) running.end()
      })
      // Asked in any case: it remembers the request.
      const isRepeated = this.#cache.isRepeated(key) || running.isJoined
      if (!answer.complete || !answer.isLasting || !isRepeated) return answer
      const body = joinOwnBytes(answer.body)
      const operation = request.productOperation as NamedOperation
      running.end({ body, operation })
      void this.#keepIfCurrent({ key, version, body, operation, coded: new Map() }, raw)
      return { ...answer, body: [body] }
    } finally {
      running.end(exchange.reply.raw.destroyed ? 'abandoned' : undefined)
    }
  }

  async #keepIfCurrent(response: KeptResponse, raw: string | undefined): Promise<void> {
    const after = await this.#versions.now().catch(() => undefined)
    if (after?.templates !== response.version) return
    this.#cache.keep(response)
    if (raw !== undefined) this.#cache.learn(raw, response.key)
  }

  #run(
    exchange: Exchange,
    parameters: GraphqlRequest,
    onType?: (type: OperationTypeNode) => void
  ): Promise<Answer> {
    return runRequest(exchange, parameters, this.#settings, type => {
      this.#method.refuse?.(exchange.reply, type)
      onType?.(type)
    })
  }

  /** Must not return the reply: awaiting a Fastify reply waits until it is sent. */
  async #sendAnswer(exchange: Exchange, { statusCode, body, complete, pending }: Answer): Promise<void> {
    const { reply, type } = exchange
    if (complete && (await this.#method.isUnchanged?.(exchange, body))) reply.code(304).send()
    else sendBody(reply.code(statusCode).type(contentType(type)), body, pending)
  }

  #sendKept(exchange: Exchange, kept: KeptResponse): void | Promise<void> {
    const { request } = exchange
    const accepted = request.headers['accept-encoding']
    request.productKept = true
    kept.operation.figures.kept.inc()
    this.#cache.countHit()
    return this.#sendShared(exchange, kept.operation, this.#cache.encode(kept, accepted?.toString()))
  }

  /** Sends bytes that several requests get. Throws 503 before any header is set if there is too little memory. */
  #sendShared(exchange: Exchange, operation: NamedOperation, coded: CodedBody): void | Promise<void> {
    const { request, reply, type } = exchange
    const { plain, body, coding } = coded
    const { productPendingResponses } = this.#app
    request.productOperation = operation
    productPendingResponses.checkShared(body)
    const send = (isUnchanged?: boolean) => {
      if (isUnchanged) return void reply.code(304).send()
      if (coding) reply.header('Content-Encoding', coding)
      sendShared(reply.type(contentType(type)), body, productPendingResponses)
    }
    const checking = this.#method.isUnchanged?.(exchange, [plain], coding)
    return checking ? checking.then(send) : send()
  }
}

function toExchange(request: FastifyRequest, reply: FastifyReply, version: string): Exchange {
  // `checkHeaders` has refused all other media types.
  const type = acceptedMediaType(request.headers.accept) ?? 'application/json'
  const { scope } = request.productToken as AccessTokenClaims
  return { request, reply, type, scope, version }
}
