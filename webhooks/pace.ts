/** Changes that are read at a time. */
const maxBatch = 100
const firstBatch = 8
/** Milliseconds of the shortest and of the longest rest. */
const firstRest = 1000
const longestRest = 300_000

/**
 * How fast changes are read for a webhook. While its receiver takes nothing, it is asked more and more rarely, with one change,
 * instead of storing all of them as failed.
 */
export class Pace {
  /** Changes to read next. */
  batch = firstBatch
  #rest = 0
  #restsUntil = 0

  get isResting(): boolean {
    return performance.now() < this.#restsUntil
  }

  /** Something was delivered. */
  speedUp(): void {
    this.batch = Math.min(maxBatch, this.batch * 2)
    this.#rest = 0
    this.#restsUntil = 0
  }

  /** Nothing was delivered of what was tried. */
  slowDown(): void {
    this.batch = 1
    this.#rest = Math.min(longestRest, Math.max(firstRest, this.#rest * 2))
    this.#restsUntil = performance.now() + this.#rest
  }
}
