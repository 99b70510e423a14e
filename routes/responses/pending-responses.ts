import { unavailable } from '../../errors.ts'

export interface PendingLimits {
  /** Bytes of all responses together. */
  maxSize: number
  /** Seconds without progress after which a connection is closed. */
  stallTimeout: number
}

/** Bytes that every response gets: a connection mostly takes them at once, whether its client reads or not. */
const alwaysGranted = 2 ** 18

/** What carries a response: closed, it takes the connection with it. */
interface Carrier {
  readonly destroyed: boolean
  /** null while the responses to earlier requests on its connection are sent. */
  readonly socket?: unknown
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Bounds the memory of all responses that are being written or sent, and closes connections whose client does not read. */
export class PendingResponses {
  readonly #limits: PendingLimits
  readonly #sending = new Set<PendingResponse>()
  /** How many responses send the same bytes, which count once. */
  readonly #shared = new Map<Buffer, number>()
  #bytes = 0

  constructor(limits: PendingLimits) {
    this.#limits = limits
  }

  /** Bytes of all responses. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds a response without bytes. It is removed when its carrier closes. */
  open(carrier: Carrier): PendingResponse {
    const response = new PendingResponse(this, carrier)
    if (carrier.destroyed) response.close()
    else carrier.once('close', () => response.close())
    return response
  }

  /** Takes memory for a response. Throws 503 if others have it; a small response is always granted its own. */
  take(response: PendingResponse, bytes: number): void {
    this.#checkRoom(response.bytes, bytes)
    this.#bytes += bytes
  }

  /** Throws 503 if others have the memory for bytes that several responses send. */
  checkShared(bytes: Buffer): void {
    if (!this.#shared.has(bytes)) this.#checkRoom(0, bytes.length)
  }

  #checkRoom(own: number, more: number): void {
    const { maxSize } = this.#limits
    const isAlone = this.#bytes === own
    const isSmall = own + more <= alwaysGranted
    if (this.#bytes + more > maxSize && !isAlone && !isSmall)
      throw unavailable(`the pending responses have more than ${maxSize} bytes`)
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes
  }

  /** Takes memory for bytes that several responses send, also if others have it. */
  takeShared(bytes: Buffer): void {
    const count = this.#shared.get(bytes) ?? 0
    if (count === 0) this.#bytes += bytes.length
    this.#shared.set(bytes, count + 1)
  }

  giveBackShared(bytes: Buffer): void {
    const count = (this.#shared.get(bytes) ?? 0) - 1
    if (count > 0) this.#shared.set(bytes, count)
    else {
      this.#shared.delete(bytes)
      this.giveBack(bytes.length)
    }
  }

  startClock(response: PendingResponse): void {
    this.#sending.add(response)
  }

  stopClock(response: PendingResponse): void {
    this.#sending.delete(response)
  }

  /** Closes the connections without progress; `now` as of performance.now(). */
  cutStalled(now: number): void {
    const latest = now - this.#limits.stallTimeout * 1000
    for (const response of this.#sending) {
      // It waits for responses before it, which have clocks of their own.
      if (response.isQueued) response.progressAt = Math.max(response.progressAt, now)
      else if (response.progressAt < latest) response.cut()
    }
  }
}

/** The memory of one response. */
export class PendingResponse {
  bytes = 0
  /** When the client last took some of it. */
  progressAt = 0
  #closed = false
  #shared: Buffer | undefined
  readonly #all: PendingResponses
  readonly #carrier: Carrier

  constructor(all: PendingResponses, carrier: Carrier) {
    this.#all = all
    this.#carrier = carrier
  }

  /**
   * Counts bytes that were written. If the memory for responses is used up, it throws 503, and what was written is let
   * go: of several that are written at once, the others go on.
   */
  add(bytes: number): void {
    // The client has gone, and what is still written goes with it.
    if (this.#closed) return
    try {
      this.#all.take(this, bytes)
    } catch (error) {
      this.#all.giveBack(this.bytes)
      this.bytes = 0
      throw error
    }
    this.bytes += bytes
  }

  /** Counts bytes that other responses send, too; `checkShared` tells whether there is memory for them. */
  share(bytes: Buffer): void {
    if (this.#closed) return
    this.#all.takeShared(bytes)
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
    this.#all.startClock(this)
  }

  /** Counts bytes that the connection has taken. */
  subtract(bytes: number): void {
    if (this.#closed) return
    this.progressAt = performance.now()
    if (this.#shared) return
    this.#all.giveBack(bytes)
    this.bytes -= bytes
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#all.stopClock(this)
    if (this.#shared) this.#all.giveBackShared(this.#shared)
    this.#all.giveBack(this.bytes)
    this.bytes = 0
  }

  cut(): void {
    this.#carrier.destroy()
  }
}
