import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../db/dialects/faults.ts'
import { type PublicError, toPublicError, unavailable } from '../errors.ts'

export interface ErrorHandlerOptions {
  /** The body of an error in the protocol of this scope. An error of ours has an id, which the log has too. */
  body: (error: PublicError, errorId?: string) => object
  /** The media type of that body, where it is not plain JSON. */
  contentType?: (request: FastifyRequest) => string
}

/** Answers errors in one shape; the caller reads the public text, the log the reason. */
export const errorHandler = fp<ErrorHandlerOptions>(
  async (app, { body, contentType }) => {
    app.setErrorHandler(async (error, request, reply) => {
      const answer = publicError(error)
      const { productClient, ip: remoteAddress } = request
      const line = { code: answer.code, reason: answer.detail, clientId: productClient?.id, remoteAddress }
      const errorId = answer.statusCode >= 500 ? randomUUID() : undefined
      if (errorId) request.log.error({ ...line, errorId, err: answer.cause ?? answer }, 'request failed')
      else request.log.info(line, 'request refused')
      if (answer.retryAfter !== undefined) reply.header('Retry-After', answer.retryAfter)
      if (contentType) reply.type(contentType(request))
      return reply.code(answer.statusCode).send(body(answer, errorId))
    })
  },
  { name: 'product-error-handler', fastify: '5.x' }
)

/** The shape outside OAuth and GraphQL. */
export const httpErrorBody = ({ code, message }: PublicError) => ({ code, message })

/**
 * The public face of anything thrown. A database that cannot answer is not an error of ours: whoever asked may come
 * again.
 */
export function publicError(error: unknown): PublicError {
  const answer = toPublicError(error)
  return answer.statusCode === 500 && isUnavailable(error) ? unavailable(error) : answer
}
