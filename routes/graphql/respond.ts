import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { type Versions, versionsOf } from '../../db/versions.ts'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import type { NamedOperation } from '../../metrics/metrics.ts'
import type { ServiceSettings } from '../../options.ts'
import { checkTokenAgain } from '../../plugins/bearer-auth.ts'
import type { AccessTokenClaims } from '../../plugins/tokens.ts'
import { acceptedMediaType, contentType } from '../responses/negotiation.ts'
import { sendBody, sendShared } from '../responses/send.ts'
import {
  type CodedBody,
  type Execution,
  joinOwnBytes,
  type ResponseCache,
  type SharedResponse
} from './response-cache.ts'
import { type Answer, asksForCost, type Exchange, runRequest } from './run.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its response was kept. */
    productKept: boolean
  }
}

/** What GET and POST do differently. */
export interface MethodRules {
  /** The parameters as they came, or as a host's hook has replaced them. */
  readText(request: FastifyRequest): string
  /** Parses that text. */
  parse(request: FastifyRequest): Promise<GraphqlRequest>
  /** Throws if operations of a type are refused. */
  refuse?(reply: FastifyReply, type: OperationTypeNode): void
  /** Sets the headers for the client's cache. Resolves with whether the client has this body. */
  isUnchanged?(exchange: Exchange, body: Buffer[], coding?: string): Promise<boolean>
}

/** Characters of a request whose response may be kept. */
const maxKeyLength = 2 ** 16

/**
 * Answers the requests of a method: with a kept response, by joining the execution of an equal request, or by executing
 * them. Equal are requests whose parameters are the same text.
 */
export class Responder {
  readonly #app: FastifyInstance
  readonly #settings: ServiceSettings
  readonly #rules: MethodRules
  readonly #versions: Versions
  readonly #cache: ResponseCache

  constructor(app: FastifyInstance, settings: ServiceSettings, rules: MethodRules) {
    this.#app = app
    this.#settings = settings
    this.#rules = rules
    this.#versions = versionsOf(app.productStore)
    this.#cache = app.productResponseCache
  }

  /** Not async: Fastify would wait for a reply that is sent later. */
  readonly handle = (request: FastifyRequest, reply: FastifyReply): void => {
    this.#respond(request, reply).catch((error: unknown) => reply.send(error))
  }

  async #respond(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // After the body has arrived: what was committed before the request was complete is in its response.
    const version = await this.#versions.now()
    await checkTokenAgain(request, reply, version)
    await this.#answer(toExchange(request, reply, version.templates))
  }

  async #answer(exchange: Exchange): Promise<void> {
    const key = this.#toKey(exchange)
    if (key === undefined) return this.#execute(exchange)
    const known = this.#cache.find(key, exchange.version)
    if (known?.response) return this.#sendKept(exchange, key, known.response)
    return known?.execution ? this.#join(exchange, key, known.execution) : this.#lead(exchange, key)
  }

  /** The text of a request, with what else its response depends on; undefined if it is not to be shared. */
  #toKey({ request, type, scope }: Exchange): string | undefined {
    if (!this.#cache.isOn || asksForCost(request)) return undefined
    const text = this.#rules.readText(request)
    return text.length > maxKeyLength ? undefined : `${request.method} ${type} ${scope}\n${text}`
  }

  async #sendKept(exchange: Exchange, key: string, response: SharedResponse): Promise<void> {
    const { request } = exchange
    const accepted = request.headers['accept-encoding']
    request.productKept = true
    response.operation.figures.kept.inc()
    this.#cache.countHit()
    return this.#sendShared(exchange, response, this.#cache.encode(key, response, accepted?.toString()))
  }

  async #join(exchange: Exchange, key: string, execution: Execution): Promise<void> {
    const response = await this.#cache.join(key, execution)
    // The first of those who wait is executed for the others.
    if (!response) return execution.isAbandoned ? this.#answer(exchange) : this.#execute(exchange)
    response.operation.figures.shared.inc()
    return this.#sendShared(exchange, response, { plain: response.body, body: response.body })
  }

  /** Executes a request for itself and for those who join. */
  async #lead(exchange: Exchange, key: string): Promise<void> {
    // The others do not wait for other operations of this token.
    if (this.#app.productOperationQueue.isFull(exchange.request.productToken?.jti ?? ''))
      return this.#execute(exchange)
    const execution = this.#cache.begin(key, exchange.version)
    this.#cache.countMiss()
    await this.#execute(exchange, execution).finally(() => {
      execution.isAbandoned = exchange.reply.raw.destroyed
      execution.end()
    })
  }

  async #execute(exchange: Exchange, execution?: Execution): Promise<void> {
    const { request, reply, version } = exchange
    const parameters = await this.#rules.parse(request)
    const answer = await runRequest(exchange, parameters, this.#settings, type => {
      this.#rules.refuse?.(reply, type)
      // A mutation is never shared.
      if (type !== OperationTypeNode.QUERY) execution?.end()
    })
    if (!execution?.isRepeated || !answer.complete || !answer.isCacheable)
      return this.#sendOwn(exchange, answer)
    const body = joinOwnBytes(answer.body)
    const response = { body, operation: request.productOperation as NamedOperation, coded: new Map() }
    // Others join until it is kept.
    const after = await this.#versions.now().catch(() => undefined)
    execution.end(response, after?.templates === version)
    return this.#sendOwn(exchange, { ...answer, body: [body] })
  }

  /** Sends what was made for this request. Must not return the reply: awaiting a Fastify reply waits until it is sent. */
  async #sendOwn(exchange: Exchange, { statusCode, body, complete, pending }: Answer): Promise<void> {
    const { reply, type } = exchange
    if (complete && (await this.#rules.isUnchanged?.(exchange, body))) reply.code(304).send()
    else sendBody(reply.code(statusCode).type(contentType(type)), body, pending)
  }

  /** Sends bytes that several requests get. Throws 503 before any header is set if there is too little memory. */
  async #sendShared(exchange: Exchange, { operation }: SharedResponse, coded: CodedBody): Promise<void> {
    const { request, reply, type } = exchange
    const { plain, body, coding } = coded
    request.productOperation = operation
    this.#app.productPendingResponses.checkShared(body)
    const { isUnchanged } = this.#rules
    // POST must not wait here: other responses could take the memory that was just checked.
    if (isUnchanged && (await isUnchanged(exchange, [plain], coding))) return void reply.code(304).send()
    if (coding) reply.header('Content-Encoding', coding)
    sendShared(reply.type(contentType(type)), body)
  }
}

function toExchange(request: FastifyRequest, reply: FastifyReply, version: string): Exchange {
  // `checkHeaders` has refused all other media types.
  const type = acceptedMediaType(request.headers.accept) ?? 'application/json'
  const { scope } = request.productToken as AccessTokenClaims
  return { request, reply, type, scope, version }
}
