import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { versionsOf } from '../../db/versions.ts'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import type { NamedOperation } from '../../metrics/metrics.ts'
import type { ServiceSettings } from '../../options.ts'
import { checkTokenAgain } from '../../plugins/bearer-auth.ts'
import type { AccessTokenClaims } from '../../plugins/tokens.ts'
import { acceptedMediaType, contentType } from '../responses/negotiation.ts'
import { sendBody, sendShared } from '../responses/send.ts'
import { type CodedBody, type Execution, joinOwnBytes, type SharedResponse } from './response-cache.ts'
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

/** A request, and how its method answers. */
interface Question extends Exchange {
  rules: MethodRules
  settings: ServiceSettings
}

/**
 * Answers the requests of a method: with a kept response, by joining the execution of an equal request, or by executing
 * them. Equal are requests whose parameters are the same text.
 */
export const answerBy =
  (rules: MethodRules, settings: ServiceSettings): RouteHandlerMethod =>
  // Not async: Fastify would wait for a reply that is sent later.
  (request, reply) => {
    respond(request, reply, rules, settings).catch((error: unknown) => reply.send(error))
  }

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  rules: MethodRules,
  settings: ServiceSettings
): Promise<void> {
  // After the body has arrived: what was committed before the request was complete is in its response.
  const version = await versionsOf(request.server.productStore).now()
  await checkTokenAgain(request, reply, version)
  // `checkHeaders` has refused all other media types.
  const type = acceptedMediaType(request.headers.accept) ?? 'application/json'
  const { scope } = request.productToken as AccessTokenClaims
  await answer({ request, reply, type, scope, version: version.templates, rules, settings })
}

async function answer(question: Question): Promise<void> {
  const { request, version } = question
  const cache = request.server.productResponseCache
  const key = toKey(question)
  if (key === undefined) return execute(question)
  const known = cache.find(key, version)
  if (known?.response) return sendKept(question, key, known.response)
  return known?.execution ? join(question, key, known.execution) : lead(question, key)
}

/** The text of a request, with what else its response depends on; undefined if it is not to be shared. */
function toKey({ request, type, scope, rules }: Question): string | undefined {
  if (!request.server.productResponseCache.isOn || asksForCost(request)) return undefined
  const text = rules.readText(request)
  return text.length > maxKeyLength ? undefined : `${request.method} ${type} ${scope}\n${text}`
}

async function sendKept(question: Question, key: string, response: SharedResponse): Promise<void> {
  const { request } = question
  const accepted = request.headers['accept-encoding']?.toString()
  request.productKept = true
  response.operation.figures.kept.inc()
  return sendCoded(question, response, request.server.productResponseCache.encode(key, response, accepted))
}

async function join(question: Question, key: string, execution: Execution): Promise<void> {
  const response = await question.request.server.productResponseCache.join(key, execution)
  if (!response) return execute(question)
  response.operation.figures.shared.inc()
  return sendCoded(question, response, { plain: response.body, body: response.body })
}

/** Executes a request for itself and for those who join. */
async function lead(question: Question, key: string): Promise<void> {
  const { server: app, productToken } = question.request
  // The others do not wait for other operations of this token.
  if (app.productOperationQueue.isFull(productToken?.jti ?? '')) return execute(question)
  const execution = app.productResponseCache.begin(key, question.version)
  await execute(question, execution).finally(() => execution.end())
}

async function execute(question: Question, execution?: Execution): Promise<void> {
  const { request, reply, version, rules, settings } = question
  const own = await runRequest(question, await rules.parse(request), settings, {
    onType(type) {
      rules.refuse?.(reply, type)
      // A mutation is never shared.
      if (type !== OperationTypeNode.QUERY) execution?.end()
    },
    isAwaited: () => execution?.isAwaited === true
  })
  if (!execution?.isRepeated || !own.complete || !own.isCacheable) return sendOwn(question, own)
  const body = joinOwnBytes(own.body)
  const response = { body, operation: request.productOperation as NamedOperation, coded: new Map() }
  // Others join until it is kept.
  const after = await versionsOf(request.server.productStore)
    .now()
    .catch(() => undefined)
  execution.end(response, after?.templates === version)
  return sendOwn(question, { ...own, body: [body] })
}

/** Sends what was made for this request. Must not return the reply: awaiting a Fastify reply waits until it is sent. */
async function sendOwn(question: Question, { statusCode, body, complete, pending }: Answer): Promise<void> {
  const { reply, type, rules } = question
  if (complete && (await rules.isUnchanged?.(question, body))) reply.code(304).send()
  else sendBody(reply.code(statusCode).type(contentType(type)), body, pending)
}

/** Sends bytes that several requests get. Throws 503 before any header is set if there is too little memory. */
async function sendCoded(question: Question, { operation }: SharedResponse, coded: CodedBody): Promise<void> {
  const { request, reply, type, rules } = question
  const { plain, body, coding } = coded
  request.productOperation = operation
  request.server.productPendingResponses.checkShared(body)
  // POST must not wait here: other responses could take the memory that was just checked.
  if (rules.isUnchanged && (await rules.isUnchanged(question, [plain], coding)))
    return void reply.code(304).send()
  if (coding) reply.header('Content-Encoding', coding)
  sendShared(reply.type(contentType(type)), body)
}
