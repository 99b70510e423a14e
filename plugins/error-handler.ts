/** Makes public errors from errors of Fastify, hosts and the database, counts and logs them, and sends them. */
import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable, NotReady, nameFault } from '../db/dialects/faults.ts'
import type { ErrorCode, Reason } from '../runtime/error-codes.ts'
import { PublicError, toLogFields, unavailable } from '../runtime/errors.ts'

const textOfCode = new Map([
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'the request body is not valid JSON'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'the request body is empty']
])
/** Codes of statuses that only a host's errors have. */
const codeOfStatus = new Map<number, ErrorCode>([
  [401, 'invalid_token'],
  [403, 'forbidden'],
  [429, 'temporarily_unavailable']
])
const textOfStatus = new Map([
  [400, 'the request is malformed'],
  [404, 'no such endpoint'],
  [413, 'the request body is too large'],
  [415, 'the content type is not supported']
])

/**
 * Converts anything thrown to a public error. Public errors stay as they are. Client errors (4xx) keep their status and
 * get a fixed text: they come from Fastify, or from the host's hooks and plugins, which also run for these endpoints.
 * An unavailable database is 503, so that the client retries. All other errors are internal.
 */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof PublicError) return error
  const { status = 500, statusCode = status, code = '', name } = Object(error)
  // A host's error may have a status that is no number.
  if (!(statusCode >= 400 && statusCode <= 499))
    return isUnavailable(error) ? unavailable(error, findReason(error)) : internal(error)
  const message = textOfCode.get(code) ?? textOfStatus.get(statusCode) ?? 'the request was refused'
  // The message is left out, because parsers quote the body in it.
  const publicCode = codeOfStatus.get(statusCode) ?? 'bad_request'
  return new PublicError({ code: publicCode, statusCode, message, detail: code || name })
}

function findReason(fault: unknown): Reason {
  if (!(fault instanceof Error)) return 'other'
  if (fault instanceof NotReady) return 'not_ready'
  return nameFault(fault) === 'disk full' ? 'disk_full' : 'database'
}

const internal = (cause: unknown) =>
  new PublicError({ code: 'internal_server_error', statusCode: 500, message: 'internal server error', cause })

/**
 * Converts anything thrown to a public error, counts it and logs it. An error of the service gets an id, which is also
 * in the log. `subject` is the word for what was refused or failed.
 */
export function reportError(
  request: FastifyRequest,
  thrown: unknown,
  subject = 'request'
): [answer: PublicError, errorId: string | undefined] {
  const answer = toPublicError(thrown)
  const { code, metricReason, statusCode, cause = answer } = answer
  const { log, server, productClient, ip: remoteAddress } = request
  // A host may use a plugin without the metrics.
  server.productMetrics?.counter('errors_total').inc({ code, reason: metricReason })
  const line = { ...toLogFields(answer), clientId: productClient?.id, remoteAddress }
  const errorId = statusCode >= 500 ? randomUUID() : undefined
  if (errorId) log.error({ ...line, errorId, err: cause }, `${subject} failed`)
  else log.info(line, `${subject} refused`)
  return [answer, errorId]
}

interface ErrorHandlerOptions {
  /** Formats an error for the protocol of this scope. An internal error has an id, which is also in the log. */
  body: (error: PublicError, errorId?: string) => object | string
  /** Makes headers of the response, such as its `Content-Type`, by default `application/json`. */
  headers?: (error: PublicError, request: FastifyRequest) => Record<string, string>
}

/** Sends all errors of a scope in the same form. The caller gets the public text; the reason is only logged. */
export const errorHandler = fp<ErrorHandlerOptions>(
  async (app, { body, headers }) => {
    app.setErrorHandler(async (error, request, reply) => {
      const [answer, errorId] = reportError(request, error)
      if (answer.retryAfter !== undefined) reply.header('Retry-After', answer.retryAfter)
      if (headers) reply.headers(headers(answer, request))
      return reply.code(answer.statusCode).send(body(answer, errorId))
    })
  },
  { name: 'product-error-handler', fastify: '5.x' }
)

/** Formats an error outside OAuth and GraphQL. */
export const formatHttpError = ({ code, message }: PublicError) => ({ code, message })
