import type { Socket } from 'node:net'
import type { FastifyReply, onRequestHookHandler } from 'fastify'
import { badRequest, publicError } from '../../../errors.ts'
import { httpErrorBody } from '../../../plugins/error-handler.ts'
import { STATUS_CODES } from './node-http.ts'

/** uri-host [ ":" port ], RFC 9112 §3.2 and RFC 3986 §3.2.2; empty if the target has no host. */
const host = /^([\w.~%!$&'()*+,;=-]*|\[[\dA-Fa-f:.]+\])(:\d*)?$/

/**
 * Refuses what another server may read as another request: several hosts, or a transfer coding that it does not know,
 * RFC 9112 §3.2 and §6.1, and in HTTP/2 a host besides the authority, RFC 9113 §8.3.1. Node accepts all of them.
 */
export const checkFraming: onRequestHookHandler = ({ raw }, reply, done) => {
  const { rawHeaders, headers, httpVersionMajor } = raw
  const coding = headers['transfer-encoding'] ?? 'chunked'
  const authority = headers[':authority'] as string | undefined
  const problem =
    (countHosts(rawHeaders) > 1 && 'the request has several Host headers') ||
    (!host.test(headers.host ?? '') && 'the Host header is invalid') ||
    (authority !== undefined && (headers.host ?? authority) !== authority && 'Host is not the authority') ||
    (coding.toLowerCase() !== 'chunked' && 'the transfer coding is not supported')
  if (!problem) return done()
  // What follows on the connection may be a part of this request. In HTTP/2 it is not.
  if (httpVersionMajor === 1) reply.header('Connection', 'close')
  done(badRequest(problem))
}

/** Raw headers are names and values by turns. */
const countHosts = (rawHeaders: string[]): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length

/** Options of Fastify: how it refuses malformed requests, for which no hook runs. */
export const malformedRequests = {
  clientErrorHandler: refuseUnreadable,
  /** Refuses a URL that the router cannot decode. */
  frameworkErrors: (error: Error, { id }: { id: string }, reply: unknown) =>
    (reply as FastifyReply)
      .headers({ 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff' })
      .code(400)
      .send(httpErrorBody(publicError(error)))
}

/** Errors of Node's HTTP parser and their status; 400 for all others. */
const unreadable: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Refuses what is not valid HTTP. Does not log it as Fastify would: the error contains the bytes, even credentials. */
function refuseUnreadable({ code }: { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return
  const statusCode = unreadable[code ?? ''] ?? 400
  const body = JSON.stringify(httpErrorBody(publicError({ statusCode })))
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`
  ]
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
