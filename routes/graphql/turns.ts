import { setImmediate } from 'node:timers/promises'
import type { Versions } from '../../db/versions.ts'
import type { ResponseCache } from './response-cache.ts'

/** Requests that execute together while no kept responses are asked for: each then takes a quarter less time. */
const maxTogether = 8

/** Milliseconds for which a kept response counts as a sign that others will be asked for. */
const memory = 100

/**
 * Lets requests execute in turns of the event loop, so that of many that arrive at once each does not hold up probes and
 * kept responses as long as all of them. While kept responses are asked for, they execute one by one, after those.
 */
export class Turns {
  readonly #versions: Versions
  readonly #cache: ResponseCache
  #last: Promise<unknown> = Promise.resolve()
  /** Requests that may still join the last turn. */
  #room = 0
  #hits = 0
  #hitAt = Number.NEGATIVE_INFINITY

  constructor(versions: Versions, cache: ResponseCache) {
    this.#versions = versions
    this.#cache = cache
  }

  /** Resolves when it is the turn of the caller. Never rejects. */
  next(): Promise<unknown> {
    if (this.#room === 0) {
      this.#room = this.#isShared() ? 1 : maxTogether
      this.#last = this.#last.then(() => this.#begin())
    }
    this.#room--
    return this.#last
  }

  /** Lets kept responses go between two parts of an execution; undefined if none are asked for. */
  pause(): Promise<unknown> | undefined {
    return this.#isShared() ? this.next() : undefined
  }

  async #begin(): Promise<void> {
    await setImmediate()
    this.#room = 0
    await this.#versions.inThisTurn?.catch(() => {})
  }

  #isShared(): boolean {
    const { hits } = this.#cache
    const now = performance.now()
    if (hits !== this.#hits) this.#hitAt = now
    this.#hits = hits
    return now - this.#hitAt < memory
  }
}
