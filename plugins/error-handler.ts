import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type PublicError, toLogFields } from '../runtime/errors.ts'
import { publicError } from './public-error.ts'

interface ErrorHandlerOptions {
  /** Formats an error for the protocol of this scope. An internal error has an id, which is also in the log. */
  body: (error: PublicError, errorId?: string) => object | string
  /** The media type of the body; `application/json` if omitted. */
  contentType?: (request: FastifyRequest) => string
}

/** Sends all errors of a scope in the same form. The caller gets the public text; the reason is only logged. */
export const errorHandler = fp<ErrorHandlerOptions>(
  async (app, { body, contentType }) => {
    app.setErrorHandler(async (error, request, reply) => {
      const answer = publicError(error)
      const { code, reason } = answer
      app.productMetrics?.counter('errors_total').inc({ code, reason })
      const { productClient, ip: remoteAddress } = request
      const line = { ...toLogFields(answer), clientId: productClient?.id, remoteAddress }
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

/** Formats an error outside OAuth and GraphQL. */
export const formatHttpError = ({ code, message }: PublicError) => ({ code, message })
