import type { onRequestHookHandler } from 'fastify'
import { badRequest } from '../../errors.ts'

/** uri-host [ ":" port ], RFC 9112 §3.2 and RFC 3986 §3.2.2; empty if the target has no host. */
const host = /^([\w.~%!$&'()*+,;=-]*|\[[\dA-Fa-f:.]+\])(:\d*)?$/

/**
 * Refuses what another server may read as another request: several hosts, or a transfer coding that it does not know,
 * RFC 9112 §3.2 and §6.1. Node accepts both.
 */
export const checkFraming: onRequestHookHandler = ({ raw: { rawHeaders, headers } }, reply, done) => {
  const coding = headers['transfer-encoding'] ?? 'chunked'
  const problem =
    (countHosts(rawHeaders) > 1 && 'the request has several Host headers') ||
    (!host.test(headers.host ?? '') && 'the Host header is invalid') ||
    (coding.toLowerCase() !== 'chunked' && 'the transfer coding is not supported')
  if (!problem) return done()
  // What follows on the connection may be a part of this request.
  reply.header('Connection', 'close')
  done(badRequest(problem))
}

/** Names and values take turns in raw headers. */
function countHosts(rawHeaders: string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count++
  return count
}
