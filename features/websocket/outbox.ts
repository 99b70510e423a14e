import type { WebSocket } from 'ws'

/** Bytes of a frame. A longer message has several. */
const maxFrame = 2 ** 16
/** Messages that wait before no more are read from the client. */
const maxWaiting = 16

/** Sends the messages of a socket one after another, at the speed at which its client reads. */
export class Outbox {
  readonly #socket: WebSocket
  readonly #stallTimeout: number
  #last = Promise.resolve()
  #waiting = 0

  /** Ends the socket if its client reads nothing for `stallTimeout` seconds. */
  constructor(socket: WebSocket, stallTimeout: number) {
    this.#socket = socket
    this.#stallTimeout = stallTimeout
  }

  /** Resolves when the connection has taken the message, or has closed. */
  async send(parts: Uint8Array[]): Promise<void> {
    this.#waiting++
    if (this.#waiting > maxWaiting) this.#socket.pause()
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    await this.#write(parts)
    resolve()
    this.#waiting--
    if (this.#waiting <= maxWaiting && this.#socket.isPaused) this.#socket.resume()
  }

  async #write(parts: Uint8Array[]): Promise<void> {
    const frames = parts.flatMap(toFrames)
    for (const [index, frame] of frames.entries()) {
      if (this.#socket.readyState !== this.#socket.OPEN) return
      const timer = setTimeout(() => this.#socket.terminate(), this.#stallTimeout * 1000)
      const fin = index === frames.length - 1
      await new Promise<unknown>(resolve => this.#socket.send(frame, { binary: false, fin }, resolve))
      clearTimeout(timer)
    }
  }
}

const toFrames = (part: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(part.length / maxFrame) }, (_, index) =>
    part.subarray(index * maxFrame, (index + 1) * maxFrame)
  )
