import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { PublicError } from '../runtime/errors.ts'
import { reportError } from './public-error.ts'

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
