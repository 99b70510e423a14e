/** Refuses requests that are not valid HTTP, or that a proxy in front may read differently. */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { formatHttpError, toPublicError } from '../../plugins/error-handler.ts'
import { listHeaders } from '../../plugins/headers.ts'
import { badRequest } from '../../runtime/errors.ts'
import { STATUS_CODES } from './node-http.ts'

/** uri-host [ ":" port ], RFC 9112 §3.2 and RFC 3986 §3.2.2; empty if the target has no host. */
const host = /^([\w.~%!$&'()*+,;=-]*|\[[\dA-Fa-f:.]+\])(:\d*)?$/

/**
 * Refuses requests that another server may read differently: with several hosts, an unknown transfer coding or, in
 * HTTP/2, a host that differs from the authority, RFC 9112 §3.2, §6.1, RFC 9113 §8.3.1. Node accepts all of them.
 */
export const checkFraming: onRequestHookHandler = (request, reply, done) => {
  const problem = findFramingProblem(request)
  if (!problem) return done()
  // The next bytes on the connection may belong to this request. In HTTP/2, they cannot.
  if (request.raw.httpVersionMajor === 1) reply.header('Connection', 'close')
  done(badRequest(problem))
}

function findFramingProblem(request: FastifyRequest): string | undefined {
  const { headers } = request.raw
  const authority = headers[':authority'] as string | undefined
  if (listHeaders(request, 'host').length > 1) return 'the request has several Host headers'
  if (!host.test(headers.host ?? '')) return 'the Host header is invalid'
  if (authority !== undefined && (headers.host ?? authority) !== authority) return 'Host is not the authority'
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
    return 'the transfer coding is not supported'
  return undefined
}

/** Options of Fastify for malformed requests, for which no hook runs. */
export const malformedRequests = {
  clientErrorHandler: refuseUnreadable,
  /** Refuses a URL that the router cannot decode. */
  frameworkErrors: (error: Error, { id }: { id: string }, reply: unknown) =>
    (reply as FastifyReply)
      .headers({ 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
      .code(400)
      .send(formatHttpError(toPublicError(error)))
}

/** The status for some errors of Node's HTTP parser. All others are 400. */
const unreadable: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Refuses bytes that are not valid HTTP. Fastify would log the error with the bytes, even credentials. */
function refuseUnreadable({ code }: { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return
  const statusCode = unreadable[code ?? ''] ?? 400
  const body = JSON.stringify(formatHttpError(toPublicError({ statusCode })))
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`
  ]
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
