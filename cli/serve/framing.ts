import type { onRequestAsyncHookHandler } from 'fastify'
import { badRequest } from '../../errors.ts'

/** uri-host [ ":" port ], RFC 9112 §3.2 and RFC 3986 §3.2.2; empty if the target has no host. */
const host = /^([\w.~%!$&'()*+,;=-]*|\[[\dA-Fa-f:.]+\])(:\d*)?$/

/**
 * Refuses what another server may read as another request: several hosts, or a transfer coding that it does not know,
 * RFC 9112 §3.2 and §6.1. Node accepts both.
 */
export const checkFraming: onRequestAsyncHookHandler = async ({ raw: { rawHeaders, headers } }, reply) => {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  const coding = headers['transfer-encoding'] ?? 'chunked'
  const problem =
    (hosts.length > 1 && 'the request has several Host headers') ||
    (!host.test(headers.host ?? '') && 'the Host header is invalid') ||
    (coding.toLowerCase() !== 'chunked' && 'the transfer coding is not supported')
  if (!problem) return
  // What follows on the connection may be a part of this request.
  reply.header('Connection', 'close')
  throw badRequest(problem)
}
