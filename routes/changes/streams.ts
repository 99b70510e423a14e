import { setTimeout } from 'node:timers/promises'
import { overloaded, tooManyRequests, unavailable } from '../../errors.ts'

export interface StreamLimits {
  /** Streams that are open at the same time, in all and of one token. */
  maxStreams: number
  maxStreamsPerToken: number
}

/** What carries a stream: closed, it takes the connection with it. */
interface Carrier {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

interface Stream {
  token: string
  carrier: Carrier
  ended: AbortController
  closed: Promise<void>
}

/** Seconds after which a client has to try again. */
const retryAfter = 5
/** Milliseconds that streams have to end when the service shuts down. */
const endTimeout = 1000

/** Limits the open streams, and ends them when the service shuts down. */
export class ChangeStreams {
  readonly #limits: StreamLimits
  readonly #streams = new Set<Stream>()
  #closing = false

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  /**
   * Counts a stream until its carrier closes. The signal tells it to end. Throws 503 if too many are open or the service
   * shuts down, 429 if too many are of this token.
   */
  open(token: string, carrier: Carrier): AbortSignal {
    const { maxStreams, maxStreamsPerToken } = this.#limits
    if (this.#closing) throw unavailable('the service is shutting down')
    if (this.#streams.size >= maxStreams) throw overloaded(`${maxStreams} streams of changes are open`)
    const ofToken = [...this.#streams].filter(stream => stream.token === token).length
    if (ofToken >= maxStreamsPerToken) throw tooManyRequests('streams of the token', retryAfter)
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const stream = { token, carrier, ended: new AbortController(), closed }
    this.#streams.add(stream)
    const close = () => {
      this.#streams.delete(stream)
      stream.ended.abort()
      resolve()
    }
    if (carrier.destroyed) close()
    else carrier.once('close', close)
    return stream.ended.signal
  }

  /** Ends all streams; cuts those whose client does not read the end. */
  async close(): Promise<void> {
    this.#closing = true
    const streams = [...this.#streams]
    for (const { ended } of streams) ended.abort()
    const late = setTimeout(endTimeout, undefined, { ref: false })
    await Promise.race([Promise.all(streams.map(({ closed }) => closed)), late])
    for (const { carrier } of streams) carrier.destroy()
  }
}
