import { setImmediate } from 'node:timers/promises'
import type { Versions } from '../../db/versions.ts'
import type { ResponseCache } from './response-cache.ts'

/** Requests that execute in one turn while no kept responses are asked for. Together, each takes a quarter less time. */
const maxTogether = 8

/** Milliseconds for which a kept response counts as a sign that others will be asked for. */
const recently = 100

/**
 * Lets requests execute in turns of the event loop: many that arrive at once would otherwise hold up probes and kept
 * responses until all are done. While kept responses are asked for, one request executes per turn, after those.
 */
export class Turns {
  readonly #versions: Versions
  readonly #cache: ResponseCache
  readonly #begun: (() => void)[] = []
  /** By token, the one whose turn is next first. */
  readonly #arrived = new Map<string, (() => void)[]>()
  #hits = 0
  #hitAt = Number.NEGATIVE_INFINITY

  constructor(versions: Versions, cache: ResponseCache) {
    this.#versions = versions
    this.#cache = cache
  }

  /** Resolves when a request may begin. Tokens take turns, too: one with many requests does not hold up the others. */
  next(token: string): Promise<void> {
    const queue = this.#arrived.get(token) ?? []
    const turn = this.#wait(queue)
    this.#arrived.set(token, queue)
    return turn
  }

  /** Lets kept responses go between two parts of an execution, before other requests begin. */
  pause(): Promise<void> | undefined {
    return this.#isShared() ? this.#wait(this.#begun) : undefined
  }

  #wait(queue: (() => void)[]): Promise<void> {
    if (!this.#isWaited) void this.#takeTurns()
    return new Promise(resolve => queue.push(resolve))
  }

  async #takeTurns(): Promise<void> {
    do {
      await setImmediate()
      // A failure is that of those who wait for it.
      await this.#versions.inThisTurn?.catch(() => {})
      for (let count = this.#isShared() ? 1 : maxTogether; count > 0; count--) this.#take()?.()
    } while (this.#isWaited)
  }

  get #isWaited(): boolean {
    return this.#begun.length > 0 || this.#arrived.size > 0
  }

  #take(): (() => void) | undefined {
    const [next] = this.#arrived
    if (this.#begun.length > 0 || next === undefined) return this.#begun.shift()
    const [token, queue] = next
    this.#arrived.delete(token)
    const first = queue.shift()
    if (queue.length > 0) this.#arrived.set(token, queue)
    return first
  }

  #isShared(): boolean {
    const { hits } = this.#cache
    const now = performance.now()
    if (hits !== this.#hits) this.#hitAt = now
    this.#hits = hits
    return now - this.#hitAt < recently
  }
}
