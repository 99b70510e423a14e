import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { contentType } from '../graphql/media-type.ts'
import type { Representation } from '../graphql/respond.ts'
import type { PendingResponse, PendingResponses } from './pending-responses.ts'

/** Bytes of a body that is handed over at once. */
const maxBytesAtOnce = 2 ** 20
/** Bytes of a larger one that are handed over when the connection has taken those before. */
const pieceSize = 2 ** 16

/** Bytes of a body that a connection may take at once, and is watched only if it does not. */
const maxUnwatched = 2 ** 20
/** Bytes of a body in memory that are handed over at once, and bytes per second with which a client has to read them. */
const maxSharedAtOnce = 2 ** 22
const slowestReader = 2 ** 14
/** Bytes of a larger one that are handed over at a time. */
const sharedPieceSize = 2 ** 18

/** Sends a body. A large one is sent as fast as its client reads, and what was sent is let go. */
export function sendBody(reply: FastifyReply, body: Buffer[], pending: PendingResponse): void {
  const length = body.reduce((sum, { length }) => sum + length, 0)
  pending.startSending()
  if (length <= maxBytesAtOnce) reply.send(body.length === 1 ? body[0] : Buffer.concat(body))
  else reply.header('Content-Length', length).send(new BodyStream(cut(body), pending))
}

/**
 * Reserves memory for a body that stays in memory, and that other responses share; call it before any header is set.
 * Throws 503 if there is too little.
 */
export function reserveShared(reply: FastifyReply, body: Buffer, responses: PendingResponses) {
  responses.checkShared(body)
  return body.length > maxUnwatched ? watch(reply, body, responses) : undefined
}

function watch(reply: FastifyReply, body: Buffer, responses: PendingResponses): PendingResponse {
  const pending = responses.open(reply.raw)
  pending.share(body)
  // In one piece, nothing shows that the client reads.
  pending.startSending(body.length <= maxSharedAtOnce ? body.length / slowestReader : 0)
  return pending
}

/** Sends a body for which {@link reserveShared} was called. */
export function sendShared(
  reply: FastifyReply,
  { type, body, coding, pending }: Representation,
  responses: PendingResponses
): void {
  if (coding) reply.header('Content-Encoding', coding)
  reply.type(contentType(type))
  if (pending && body.length > maxSharedAtOnce) {
    reply.header('Content-Length', body.length).send(new BodyStream(slice(body), pending))
    return
  }
  reply.send(body)
  // Mostly the connection takes it at once, and nothing is left to watch.
  const { writableEnded, writableLength } = reply.raw
  if (pending === undefined && (!writableEnded || writableLength > 0)) watch(reply, body, responses)
}

/**
 * Sends a body that other responses share in memory, in pieces and as fast as the client reads: TLS would copy the
 * whole body, and HTTP/2 connections have a limit. Call `checkShared` before any header is set.
 */
export function sendInPieces(reply: FastifyReply, body: Buffer, responses: PendingResponses): FastifyReply {
  const pending = responses.open(reply.raw)
  pending.share(body)
  pending.startSending()
  return reply.header('Content-Length', body.length).send(new BodyStream(slice(body, pieceSize), pending))
}

class BodyStream extends Readable {
  readonly #pieces: Generator<Buffer>
  readonly #pending: PendingResponse
  #handedOver = 0

  constructor(pieces: Generator<Buffer>, pending: PendingResponse) {
    super({ highWaterMark: pieceSize })
    this.#pieces = pieces
    this.#pending = pending
  }

  /** Called when the piece before was taken. */
  override _read(): void {
    this.#pending.subtract(this.#handedOver)
    const { value: piece = null } = this.#pieces.next()
    this.#handedOver = piece?.length ?? 0
    this.push(piece)
  }
}

/** Cuts and joins buffers into pieces, and drops each buffer when it is done. */
function* cut(buffers: Buffer[]): Generator<Buffer> {
  let small: Buffer[] = []
  let size = 0
  for (const bytes of joinAdjacent(buffers)) {
    if (size + bytes.length > pieceSize && size > 0) {
      yield Buffer.concat(small)
      small = []
      size = 0
    }
    if (bytes.length < pieceSize) {
      small.push(bytes)
      size += bytes.length
    } else for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize)
  }
  if (size > 0) yield Buffer.concat(small)
}

/** Joins buffers that follow each other in memory, as the templates of a kept list do. Copies nothing. */
function* joinAdjacent(buffers: Buffer[]): Generator<Buffer> {
  // Takes from the end, because `shift` would move the rest of a long array each time.
  buffers.reverse()
  let first = buffers.pop()
  while (first) {
    const { buffer, byteOffset } = first
    let end = byteOffset + first.length
    let next = buffers.pop()
    for (; next?.buffer === buffer && next.byteOffset === end; next = buffers.pop()) end += next.length
    yield Buffer.from(buffer, byteOffset, end - byteOffset)
    first = next
  }
}

function* slice(body: Buffer, size = sharedPieceSize): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}
