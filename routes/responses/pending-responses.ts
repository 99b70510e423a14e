import fp from 'fastify-plugin'
import { unavailable } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productPendingResponses: PendingResponses
  }
}

interface PendingLimits {
  /** Bytes of all responses together. */
  maxSize: number
  /** Seconds without progress after which a connection is closed. */
  stallTimeout: number
}

/** Bytes that every response gets: a connection mostly takes them at once, whether its client reads or not. */
const alwaysGranted = 2 ** 18
/** Checks for stalled responses within the time that they may stall. */
const checksPerStall = 4

/** What carries a response: closed, it takes the connection with it. */
interface Carrier {
  readonly destroyed: boolean
  /** null while the responses to earlier requests on its connection are sent. */
  readonly socket?: unknown
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Bounds the memory of the responses of a scope. */
export const pendingResponses = fp<ServiceSettings>(
  async (app, { graphqlMaxPendingSize: maxSize, graphqlStallTimeout: stallTimeout }) => {
    const responses = new PendingResponses({ maxSize, stallTimeout })
    app.decorate('productPendingResponses', responses)
    const check = () => responses.cutStalled(performance.now())
    const timer = setInterval(check, (stallTimeout * 1000) / checksPerStall).unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'product-pending-responses', fastify: '5.x' }
)

/** Bounds the memory of all responses that are being written or sent, and closes connections whose client does not read. */
export class PendingResponses {
  /** Bytes of all responses. */
  bytes = 0
  /** Responses whose client has to read. */
  readonly sending = new Set<PendingResponse>()
  readonly #limits: PendingLimits
  /** How many responses send the same bytes, which count once. */
  readonly #shared = new Map<Buffer, number>()

  constructor(limits: PendingLimits) {
    this.#limits = limits
  }

  /** Adds a response without bytes. It is removed when its carrier closes. */
  open(carrier: Carrier): PendingResponse {
    const response = new PendingResponse(this, carrier)
    if (carrier.destroyed) response.close()
    else carrier.once('close', () => response.close())
    return response
  }

  /** Throws 503 if others have the memory that a response with `own` bytes needs. A small response always gets it. */
  checkRoom(own: number, more: number): void {
    const { maxSize } = this.#limits
    const isAlone = this.bytes === own
    const isSmall = own + more <= alwaysGranted
    if (this.bytes + more > maxSize && !isAlone && !isSmall)
      throw unavailable(`the pending responses have more than ${maxSize} bytes`, 'pending_size')
  }

  /** Throws 503 if others have the memory for bytes that several responses send. */
  checkShared(bytes: Buffer): void {
    if (!this.#shared.has(bytes)) this.checkRoom(0, bytes.length)
  }

  /** Adds or removes responses that send the same bytes. */
  countShared(bytes: Buffer, responses: 1 | -1): void {
    const before = this.#shared.get(bytes) ?? 0
    const after = before + responses
    if (after > 0) this.#shared.set(bytes, after)
    else this.#shared.delete(bytes)
    if (before === 0 || after === 0) this.bytes += responses * bytes.length
  }

  /** Closes the connections without progress; `now` as of performance.now(). */
  cutStalled(now: number): void {
    const latest = now - this.#limits.stallTimeout * 1000
    for (const response of this.sending) {
      // It waits for responses before it, which have clocks of their own.
      if (response.isQueued) response.progressAt = Math.max(response.progressAt, now)
      else if (response.progressAt < latest) response.cut()
    }
  }
}

/** The memory of one response. */
export class PendingResponse {
  /** When the client last took some of it. */
  progressAt = 0
  #bytes = 0
  #closed = false
  #shared: Buffer | undefined
  readonly #all: PendingResponses
  readonly #carrier: Carrier

  constructor(all: PendingResponses, carrier: Carrier) {
    this.#all = all
    this.#carrier = carrier
  }

  /**
   * Counts bytes that were written. If the memory for responses is used up, it throws 503 and releases what was written:
   * of several that are written at once, the others go on.
   */
  add(bytes: number): void {
    // The client has gone, and what is still written goes with it.
    if (this.#closed) return
    try {
      this.#all.checkRoom(this.#bytes, bytes)
    } catch (error) {
      this.#change(-this.#bytes)
      throw error
    }
    this.#change(bytes)
  }

  /** Counts bytes that other responses send, too; `checkShared` tells whether there is memory for them. */
  share(bytes: Buffer): void {
    if (this.#closed) return
    this.#all.countShared(bytes, 1)
    this.#shared = bytes
  }

  /** Whether its client cannot read it yet, because it has sent several requests without waiting for responses. */
  get isQueued(): boolean {
    return this.#carrier.socket === null
  }

  /** From now on the client has to read. It is given `more` seconds before it counts as stalled. */
  startSending(more = 0): void {
    if (this.#closed) return
    this.progressAt = performance.now() + 1000 * more
    this.#all.sending.add(this)
  }

  /** Counts bytes that the connection has taken. */
  subtract(bytes: number): void {
    if (this.#closed) return
    this.progressAt = performance.now()
    if (!this.#shared) this.#change(-bytes)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#all.sending.delete(this)
    if (this.#shared) this.#all.countShared(this.#shared, -1)
    this.#change(-this.#bytes)
  }

  cut(): void {
    this.#carrier.destroy()
  }

  #change(bytes: number): void {
    this.#bytes += bytes
    this.#all.bytes += bytes
  }
}
