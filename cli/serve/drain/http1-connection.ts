import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * An idle connection ends at the next check after this number of checks, a quarter of a second, without a byte from the
 * client. The next request of a client on another continent takes that long.
 */
const quietChecks = 12

/** An HTTP/1 connection that can be drained. */
export class Http1Connection {
  readonly #socket: Socket
  readonly #server: Server
  /** The latest response. Its `req` is the latest request. */
  #latest: ServerResponse | undefined
  /** Bytes read until the latest response was complete; and until the latest check. */
  #bytesBefore = 0
  #bytesChecked = 0
  #quietChecks = 0

  constructor(socket: Socket, server: Server) {
    this.#socket = socket
    this.#server = server
  }

  /** Records a new request. */
  begin(response: ServerResponse): void {
    this.#latest = response
  }

  /** Records a new request during the drain. Returns false if the connection has already announced its end. */
  beginLast(response: ServerResponse): boolean {
    const before = this.#latest
    const isPipelined = before !== undefined && !before.writableFinished
    if (this.#socket.writableEnded || (isPipelined && before.headersSent)) return false
    // The response that announces the end must be the last one, so an earlier response must not.
    if (isPipelined) before.removeHeader('Connection')
    this.begin(response)
    this.announceEnd()
    return true
  }

  /** Records that the latest response is complete. */
  endResponse(): void {
    this.#bytesBefore = this.#socket.bytesRead
  }

  /** Announces the end of the connection in the response in progress, if there is one. */
  announceEnd(): void {
    if (this.#latest && !this.#latest.headersSent) this.#latest.setHeader('Connection', 'close')
  }

  /** Whether a complete request waits for its response. */
  get isServing(): boolean {
    return this.#latest?.req.complete === true && !this.#latest.writableFinished
  }

  /**
   * Ends the connection if no request is expected. Call it when Node has read all data that has arrived. `isLate`:
   * requests had enough time to arrive, so incomplete ones are refused.
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

  /** Refuses a request that did not arrive in time, as Node does after its `requestTimeout`. */
  #refuse(): void {
    const isAnswered = this.#latest?.req.complete === false && this.#latest.headersSent
    if (isAnswered || this.#socket.writableEnded) this.#socket.destroy()
    else this.#server.emit('clientError', { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, this.#socket)
  }
}
