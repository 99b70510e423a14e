import { setImmediate } from 'node:timers/promises'
import type { Versions } from '../../db/versions.ts'
import type { ResponseCache } from './response-cache.ts'

/** Requests that execute together while no kept responses are asked for: each then takes a quarter less time. */
const maxTogether = 8

/** Milliseconds for which a kept response counts as a sign that others will be asked for. */
const recently = 100

/**
 * Lets requests execute in turns of the event loop, so that of many that arrive at once each does not hold up probes and
 * kept responses as long as all of them. While kept responses are asked for, they execute one by one, after those.
 */
export class Turns {
  readonly #versions: Versions
  readonly #cache: ResponseCache
  readonly #begun: (() => void)[] = []
  readonly #arrived: (() => void)[] = []
  #hits = 0
  #hitAt = Number.NEGATIVE_INFINITY

  constructor(versions: Versions, cache: ResponseCache) {
    this.#versions = versions
    this.#cache = cache
  }

  /** Resolves when a request may begin. */
  next(): Promise<void> {
    return this.#wait(this.#arrived)
  }

  /** Lets kept responses go between two parts of an execution, before other requests begin. */
  pause(): Promise<void> | undefined {
    return this.#isShared() ? this.#wait(this.#begun) : undefined
  }

  #wait(queue: (() => void)[]): Promise<void> {
    if (this.#begun.length + this.#arrived.length === 0) void this.#takeTurns()
    return new Promise(resolve => queue.push(resolve))
  }

  async #takeTurns(): Promise<void> {
    do {
      await setImmediate()
      // A failure is that of those who wait for it.
      await this.#versions.inThisTurn?.catch(() => {})
      for (let count = this.#isShared() ? 1 : maxTogether; count > 0; count--)
        (this.#begun.shift() ?? this.#arrived.shift())?.()
    } while (this.#begun.length + this.#arrived.length > 0)
  }

  #isShared(): boolean {
    const { hits } = this.#cache
    const now = performance.now()
    if (hits !== this.#hits) this.#hitAt = now
    this.#hits = hits
    return now - this.#hitAt < recently
  }
}
