import { createHash, hash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { FastifyReply } from 'fastify'
import { type Body, countBodyBytes } from '../../graphql/result.ts'
import { yieldToEventLoop } from '../../runtime/event-loop.ts'
import { closeIfStalled, type PendingResponse } from './response-memory.ts'

/** Bytes of a body that is sent at once, which is fastest. With TLS, memory has an encrypted copy of it. */
const maxAtOnce = 2 ** 20
/** For a shared body without TLS, which is in memory anyway. */
const maxSharedAtOnce = 2 ** 22
/** For a text without TLS. */
const maxTextAtOnce = 3 * 2 ** 22
/** Bytes of a piece of a larger body. Each piece is sent when the connection has taken the one before. */
const pieceSize = 2 ** 18
/** Bytes of a piece of every body in HTTP/2: up to 100 responses of a connection share 10 MB of Node.js. */
const http2PieceSize = 2 ** 16
/** Bytes per second that a client must read of a body that is sent at once. Its progress is unknown. */
const slowestReader = 2 ** 14

/**
 * Sends a body that only this response has. The memory of a large body is released as the client reads. Throws 503 if
 * there is too little memory for it, unless `pendingResponse` has counted it.
 */
export function sendOwn(
  reply: FastifyReply,
  body: Body,
  headers: OutgoingHttpHeaders,
  pendingResponse = countOwn(reply, body)
): void {
  reply.headers(headers)
  const isEncrypted = reply.request.raw.socket instanceof TLSSocket
  const mostAtOnce = typeof body === 'string' && !isEncrypted ? maxTextAtOnce : maxAtOnce
  send(reply, body, mostAtOnce, bytes => pendingResponse.subtract(bytes))
}

function countOwn({ server, raw }: FastifyReply, body: Body): PendingResponse {
  const pendingResponse = server.productResponseMemory.open(raw)
  pendingResponse.add(countBodyBytes(body))
  return pendingResponse
}

/** Sends a body that stays in memory and that responses share. Throws 503 if there is too little memory for it. */
export function sendShared(reply: FastifyReply, body: Buffer, headers: OutgoingHttpHeaders): void {
  // This comes before the headers, which an error must not have.
  reply.server.productResponseMemory.checkShared(body)
  reply.headers(headers)
  const isEncrypted = reply.request.raw.socket instanceof TLSSocket
  const isTaken = send(reply, [body], isEncrypted ? maxAtOnce : maxSharedAtOnce)
  if (!isTaken) reply.server.productResponseMemory.share(body, reply.raw)
}

/** Sends a page or file with its ETag, or 304 if the client has it. Throws 503 if there is too little memory for it. */
export function sendWithETag(reply: FastifyReply, type: string, body: Buffer, headers: OutgoingHttpHeaders) {
  const etag = `"${hash('sha256', body, 'base64url')}"`
  const all = { ...headers, ETag: etag }
  if (matchesETag(etag, reply.request.headers['if-none-match'])) return reply.headers(all).code(304).send()
  sendShared(reply, body, { ...all, 'Content-Type': type })
  return reply
}

/** Returns whether the connection has taken the whole body at once. Then there is nothing left to watch. */
function send(
  reply: FastifyReply,
  body: Body,
  mostAtOnce: number,
  release = (_bytes: number) => {}
): boolean {
  const { raw, request, server } = reply
  const { stallTimeout } = server.productResponseMemory
  const isHttp2 = request.raw.httpVersionMajor === 2
  const size = isHttp2 ? http2PieceSize : pieceSize
  const length = countBodyBytes(body)
  if (length <= (isHttp2 ? size : mostAtOnce)) {
    // A text that is sent once takes less time than its bytes.
    reply.send(typeof body === 'string' ? body : body.length === 1 ? body[0] : Buffer.concat(body))
    const isTaken = raw.writableEnded && raw.writableLength === 0
    if (!isTaken) closeIfStalled(raw, stallTimeout + length / slowestReader)
    return isTaken
  }
  const progress = closeIfStalled(raw, stallTimeout)
  const whole = typeof body === 'string' ? [Buffer.from(body)] : body
  const pieces = cut(whole, size, bytes => {
    progress()
    release(bytes)
  })
  const stream = Readable.from(pieces, { objectMode: false, highWaterMark: size })
  reply.header('Content-Length', length).send(stream)
  return false
}

/**
 * Cuts buffers into pieces. Calls `taken` when the next piece is requested. Releases each buffer after its last piece.
 */
async function* cut(
  body: Uint8Array[],
  size: number,
  taken: (bytes: number) => void
): AsyncGenerator<Uint8Array> {
  // Takes from the end, because `shift` would move the rest of a long array each time.
  const rest = body.toReversed()
  body.length = 0
  for (let bytes = rest.pop(); bytes; bytes = rest.pop())
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size)
      yield piece
      taken(piece.length)
      // A fast client takes one piece after the other at once, and nothing else would run until the last one.
      await yieldToEventLoop()
    }
}

/** Computes a strong ETag from the bytes and their media type, RFC 9110 §8.8.1. */
export async function computeETag(type: string, body: Uint8Array[]): Promise<string> {
  const hash = createHash('sha256').update(`${type}\n`)
  for (const bytes of body) {
    hash.update(bytes)
    await yieldToEventLoop()
  }
  return `"${hash.digest('base64url')}"`
}

/** Whether If-None-Match contains the ETag, RFC 9110 §13.1.2. */
export const matchesETag = (etag: string, header: string | undefined): boolean =>
  header?.trim() === '*' || (header?.match(/"[^"]*"/g)?.includes(etag) ?? false)
