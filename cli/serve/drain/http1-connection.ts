import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Looks without a byte from the client after which an idle connection is ended. */
const quietLooks = 4

/** How the drain looks at connections. */
export interface Look {
  /** Whether everything that has arrived was read a moment ago. */
  isFresh: boolean
  /** Whether requests had time to arrive completely. */
  isLate: boolean
}

/** An HTTP/1 connection while it is drained. */
export class Http1Connection {
  readonly #socket: Socket
  readonly #server: Server
  /** The latest response, and with it the latest request. */
  #latest: ServerResponse | undefined
  /** Bytes that had been read when the latest response was complete, and at the latest look. */
  #bytesBefore = 0
  #bytesSeen = 0
  #looks = 0

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

  /** The latest response is complete. */
  rest(): void {
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

  /** Ends the connection if nothing is to be expected of it. */
  look({ isFresh, isLate }: Look): void {
    const { bytesRead, writableEnded } = this.#socket
    if (this.isServing || bytesRead > this.#bytesSeen) this.#looks = 0
    else this.#looks++
    this.#bytesSeen = bytesRead
    if (this.isServing) return
    if (this.#isReceiving) {
      if (isLate) this.#refuse()
    } else if (writableEnded) {
      // The client had time to read the end, and to answer it with its own.
      if (isLate) this.#socket.destroy()
    } else if (isLate || (isFresh && this.#looks > quietLooks)) this.#socket.end()
  }

  /** Whether a part of a request has arrived. */
  get #isReceiving(): boolean {
    return this.#latest?.req.complete === false || this.#socket.bytesRead > this.#bytesBefore
  }

  /** Refuses the request that did not arrive in time, as Node does after its `requestTimeout`. */
  #refuse(): void {
    const isAnswered = this.#latest?.req.complete === false && this.#latest.headersSent
    if (isAnswered || this.#socket.writableEnded) this.#socket.destroy()
    else {
      const error = Object.assign(new Error('the request is not complete'), {
        code: 'ERR_HTTP_REQUEST_TIMEOUT'
      })
      this.#server.emit('clientError', error, this.#socket)
    }
  }
}
