import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { toPublicError } from '../../../errors.ts'
import { httpErrorBody } from '../../../plugins/error-handler.ts'
import { STATUS_CODES } from '../../node-http.ts'

/** Options of Fastify: how it refuses malformed requests, for which no hook runs. */
export const malformedRequests = {
  clientErrorHandler: refuseUnreadable,
  frameworkErrors: (error: Error, { id }: { id: string }, reply: unknown) =>
    refuseUnroutable(error, id, reply as FastifyReply)
}

/** Refuses a URL that the router cannot decode. */
function refuseUnroutable(error: Error, id: string, reply: FastifyReply): void {
  reply
    .header('X-Request-Id', id)
    .header('X-Content-Type-Options', 'nosniff')
    .code(400)
    .send(httpErrorBody(toPublicError(error)))
}

/** Errors of Node's HTTP parser and their status; 400 for all others. */
const unreadable: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Refuses what is not valid HTTP. Does not log it as Fastify would: the error contains the bytes, even credentials. */
function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return
  const statusCode = unreadable[code ?? ''] ?? 400
  const body = JSON.stringify(httpErrorBody(toPublicError({ statusCode })))
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`
  ]
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
