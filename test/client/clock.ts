import { abortable } from '../../packages/client/clock.ts'
import type { Clock } from '../../packages/client/index.ts'

/** A pause between attempts is over at once; a longer time passes only by {@link TestClock.pass}. */
const longestPause = 20_000

/** A clock that a test sets. */
export class TestClock implements Clock {
  /** The pauses so far, in milliseconds. */
  readonly pauses: number[] = []
  /** Called for each pause, which lasts until it resolves. */
  onPause: () => Promise<unknown> = async () => {}
  #now = Date.now()
  readonly #waiting = new Set<{ until: number; resolve: () => void }>()

  now(): number {
    return this.#now
  }

  random(): number {
    return 0.5
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds > longestPause) return this.#wait(milliseconds, signal)
    this.pauses.push(milliseconds)
    this.#now += milliseconds
    return abortable(
      this.onPause().then(() => {}),
      signal
    )
  }

  /** Lets time pass. */
  pass(milliseconds: number): void {
    this.#now += milliseconds
    for (const { until, resolve } of this.#waiting) if (until <= this.#now) resolve()
  }

  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = { until: this.#now + milliseconds, resolve }
    this.#waiting.add(waiting)
    return abortable(promise, signal).finally(() => this.#waiting.delete(waiting))
  }
}
