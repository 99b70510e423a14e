import fp from 'fastify-plugin'
import type { ServiceSettings } from '../../options/index.ts'
import { unavailable } from '../../runtime/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productResponseMemory: ResponseMemory
  }
}

/** The stream that carries a response: `reply.raw`, in HTTP/1 and in HTTP/2. */
export interface RawResponse {
  /** Only in HTTP/1. */
  readonly destroyed?: boolean
  /** Only in HTTP/2. */
  readonly stream?: { readonly destroyed: boolean }
  /** null while the responses to earlier requests on its connection are sent, in HTTP/1. */
  readonly socket?: unknown
  once(event: 'close' | 'socket', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Calls `listener` when a response was sent or its client has gone, which may be now. Returns a canceller. */
export function whenClosed(rawResponse: RawResponse, listener: () => void): () => void {
  const { destroyed } = rawResponse.stream ?? rawResponse
  if (destroyed) listener()
  else rawResponse.once('close', listener)
  return () => rawResponse.off('close', listener)
}

/**
 * Closes a response whose client reads nothing for `seconds`; in HTTP/1, the connection closes with it. Returns a
 * function to call when the client has read something. Node's own timeouts do not suffice: they start again when the
 * client sends something, or reads another response of an HTTP/2 connection.
 */
export function closeIfStalled(rawResponse: RawResponse, seconds: number): () => void {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setTimeout(() => rawResponse.destroy(), seconds * 1000).unref()
  }
  // If requests are pipelined, the client cannot read this response before the earlier ones.
  if (rawResponse.socket === null) rawResponse.once('socket', start)
  else start()
  whenClosed(rawResponse, () => clearTimeout(timer))
  return () => timer?.refresh()
}

/** Bytes that every response may use. A connection mostly takes them at once, whether or not its client reads. */
const alwaysGranted = 2 ** 18

/** Bounds the memory of a scope's responses. Each has its own, so nobody without a token can use up GraphQL's. */
export const responseMemory = fp<ServiceSettings>(
  async (app, { graphqlMaxPendingSize: maxSize, graphqlStallTimeout: stallTimeout }) =>
    void app.decorate('productResponseMemory', new ResponseMemory({ maxSize, stallTimeout })),
  { name: 'product-response-memory', fastify: '5.x' }
)

/** Counts and bounds the memory of all responses that are being written or sent. */
export class ResponseMemory {
  /** Bytes of all responses. */
  bytes = 0
  /** Seconds after which `send.ts` closes the connection of a client that reads nothing. */
  readonly stallTimeout: number
  readonly #maxSize: number
  /** The number of responses that send a shared body, whose bytes count once. */
  readonly #senders = new Map<Buffer, number>()

  constructor({ maxSize, stallTimeout }: { maxSize: number; stallTimeout: number }) {
    this.#maxSize = maxSize
    this.stallTimeout = stallTimeout
  }

  /**
   * Adds a response without bytes. Its bytes count until it is closed. It closes with its raw response, if it has one.
   */
  open(rawResponse?: RawResponse): PendingResponse {
    const response = new PendingResponse(this)
    if (rawResponse) whenClosed(rawResponse, () => response.close())
    return response
  }

  /** Throws 503 if a response with `own` bytes cannot have `more`. A small response always can. */
  checkRoom(own: number, more: number): void {
    const isAlone = this.bytes === own
    const isSmall = own + more <= alwaysGranted
    if (this.bytes + more > this.#maxSize && !isAlone && !isSmall)
      throw unavailable(`the pending responses have more than ${this.#maxSize} bytes`, 'pending_size')
  }

  /** Throws 503 if there is too little memory for a shared body. */
  checkShared(body: Buffer): void {
    if (!this.#senders.has(body)) this.checkRoom(0, body.length)
  }

  /** Counts a shared body once, until the raw responses of all that share it have closed. */
  share(body: Buffer, rawResponse: RawResponse): void {
    this.#addSenders(body, 1)
    whenClosed(rawResponse, () => this.#addSenders(body, -1))
  }

  #addSenders(body: Buffer, more: 1 | -1): void {
    const before = this.#senders.get(body) ?? 0
    const after = before + more
    if (before === 0) this.bytes += body.length
    if (after === 0) this.bytes -= body.length
    if (after === 0) this.#senders.delete(body)
    else this.#senders.set(body, after)
  }
}

/** The memory of one response. */
export class PendingResponse {
  #bytes = 0
  #closed = false
  readonly #all: ResponseMemory

  constructor(all: ResponseMemory) {
    this.#all = all
  }

  /** Counts bytes. If there is too little memory, throws 503 and releases the bytes of this response. */
  add(bytes: number): void {
    // The client has gone, so the rest is discarded.
    if (this.#closed) return
    try {
      this.#all.checkRoom(this.#bytes, bytes)
    } catch (error) {
      this.subtract(this.#bytes)
      throw error
    }
    this.subtract(-bytes)
  }

  /** Releases bytes that the connection has taken. */
  subtract(bytes: number): void {
    if (this.#closed) return
    this.#bytes -= bytes
    this.#all.bytes -= bytes
  }

  close(): void {
    this.subtract(this.#bytes)
    this.#closed = true
  }
}
