import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { PendingResponse, PendingResponses } from './pending-responses.ts'

/** Bytes of a body that is handed over at once. */
const maxBytesAtOnce = 2 ** 20
/** Bytes of a larger one that are handed over when the connection has taken those before. */
const pieceSize = 2 ** 16

/** The same for bodies that stay in memory, and bytes per second with which a client has to read them. */
const maxSharedAtOnce = 2 ** 22
const sharedPieceSize = 2 ** 18
const slowestReader = 2 ** 14

/** Sends a body. A large one is sent as fast as its client reads, and its memory is released on the way. */
export function sendBody(reply: FastifyReply, body: Buffer[], pending: PendingResponse): void {
  const length = body.reduce((sum, { length }) => sum + length, 0)
  pending.startSending()
  if (length <= maxBytesAtOnce) reply.send(body.length === 1 ? body[0] : Buffer.concat(body))
  else reply.header('Content-Length', length).send(new BodyStream(body, pieceSize, pending))
}

/** Sends a body that stays in memory, and that other responses share. Call `checkShared` before any header is set. */
export function sendShared(reply: FastifyReply, body: Buffer, responses: PendingResponses): void {
  if (body.length > maxSharedAtOnce) {
    sendInPieces(reply, body, responses, sharedPieceSize)
    return
  }
  reply.send(body)
  // Mostly the connection takes it at once, and nothing is left to watch.
  const { writableEnded, writableLength } = reply.raw
  if (writableEnded && writableLength === 0) return
  // Nothing shows that the client reads.
  openShared(reply, body, responses).startSending(body.length / slowestReader)
}

/**
 * Sends a body that other responses share in memory, as fast as the client reads: TLS would copy the whole body, and
 * HTTP/2 connections have a limit. Call `checkShared` before any header is set.
 */
export function sendInPieces(
  reply: FastifyReply,
  body: Buffer,
  responses: PendingResponses,
  size = pieceSize
): FastifyReply {
  const pending = openShared(reply, body, responses)
  pending.startSending()
  const stream = new BodyStream([body], size, pending)
  return reply.header('Content-Length', body.length).send(stream)
}

function openShared(reply: FastifyReply, body: Buffer, responses: PendingResponses): PendingResponse {
  const pending = responses.open(reply.raw)
  pending.share(body)
  return pending
}

class BodyStream extends Readable {
  readonly #pieces: Generator<Buffer>
  readonly #pending: PendingResponse
  #handedOver = 0

  constructor(body: Buffer[], pieceSize: number, pending: PendingResponse) {
    super({ highWaterMark: pieceSize })
    this.#pieces = cut(body, pieceSize)
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

/** Cuts buffers into pieces, and releases each buffer when it is done. */
function* cut(body: Buffer[], pieceSize: number): Generator<Buffer> {
  // Takes from the end, because `shift` would move the rest of a long array each time.
  const rest = body.toReversed()
  body.length = 0
  for (let bytes = rest.pop(); bytes; bytes = rest.pop())
    for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize)
}
