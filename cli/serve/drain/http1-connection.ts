import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Checks without a byte from the client after which an idle connection is ended. */
const quietChecks = 4

/** An HTTP/1 connection of which the end is near. */
export class Http1Connection {
  readonly #socket: Socket
  readonly #server: Server
  /** The latest response, and with it the latest request. */
  #latest: ServerResponse | undefined
  /** Bytes that had been read when the latest response was complete, and at the latest check. */
  #bytesBefore = 0
  #bytesChecked = 0
  #quietChecks = 0

  constructor(socket: Socket, server: Server) {
    this.#socket = socket
    this.#server = server
  }

  /** Takes a request. */
  begin(response: ServerResponse): void {
    this.#latest = response
  }

  /** Takes a request during the drain. Returns false if it comes after the client was told that the connection ends. */
  beginLast(response: ServerResponse): boolean {
    const before = this.#latest
    const isPipelined = before !== undefined && !before.writableFinished
    if (this.#socket.writableEnded || (isPipelined && before.headersSent)) return false
    // The connection ends with the response that says so, which has to be the last one.
    if (isPipelined) before.removeHeader('Connection')
    this.begin(response)
    this.announceEnd()
    return true
  }

  /** Notes that the latest response is complete. */
  endResponse(): void {
    this.#bytesBefore = this.#socket.bytesRead
  }

  /** Tells the client with the response in progress that the connection ends, if there is one. */
  announceEnd(): void {
    if (this.#latest && !this.#latest.headersSent) this.#latest.setHeader('Connection', 'close')
  }

  /** Whether a complete request has to be answered. */
  get isServing(): boolean {
    return this.#latest?.req.complete === true && !this.#latest.writableFinished
  }

  /**
   * Ends the connection if no request is to be expected. Everything that has arrived was read a moment ago, or it
   * `isLate`: requests had time to arrive completely.
   */
  endIfIdle(isLate: boolean): void {
    const { bytesRead } = this.#socket
    this.#quietChecks = this.isServing || bytesRead > this.#bytesChecked ? 0 : this.#quietChecks + 1
    this.#bytesChecked = bytesRead
    if (this.isServing) return
    const isReceiving = this.#latest?.req.complete === false || bytesRead > this.#bytesBefore
    if (!isReceiving && (isLate || this.#quietChecks > quietChecks)) this.#socket.end()
    if (isReceiving && isLate) this.#refuse()
  }

  /** Refuses the request that did not arrive in time, as Node does after its `requestTimeout`. */
  #refuse(): void {
    const isAnswered = this.#latest?.req.complete === false && this.#latest.headersSent
    if (isAnswered || this.#socket.writableEnded) this.#socket.destroy()
    else this.#server.emit('clientError', { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, this.#socket)
  }
}
