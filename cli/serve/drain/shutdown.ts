import { setTimeout } from 'node:timers/promises'
import type { ProcessSettings } from '../../../options.ts'
import type { Drain } from '../../../plugins/drain.ts'
import { Connections } from './connections.ts'

/** Milliseconds from the signal to the end, at most. */
export const shutdownMilliseconds = (settings: ProcessSettings): number =>
  (settings.shutdownDelay + settings.shutdownTimeout) * 1000

/** The end of a process, in steps: it is not ready any more, it closes its connections, then what it has opened. */
export class Shutdown {
  readonly connections = new Connections()
  readonly #announced = new AbortController()
  readonly #closing = new AbortController()
  /** What the service knows of it. */
  readonly drain: Drain = { announced: this.#announced.signal, closing: this.#closing.signal }

  /** Announces the end, waits some seconds and drains all connections. */
  async run(delay: number): Promise<void> {
    this.#announced.abort()
    if (delay > 0) await setTimeout(delay * 1000)
    this.#closing.abort()
    await this.connections.close()
  }
}
