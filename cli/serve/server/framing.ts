import type { onRequestHookHandler } from 'fastify'
import { badRequest } from '../../../errors.ts'

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

/** Names and values take turns in raw headers. */
function countHosts(rawHeaders: string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count++
  return count
}
