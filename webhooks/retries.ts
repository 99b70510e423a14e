import type { Failure } from '../db/webhooks/deliveries.ts'
import type { Answer } from './send.ts'

/** Seconds before each further attempt: more than a day in all. They vary by a tenth, so that not all come at once. */
const pauses = [5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000]
const longestAge = pauses.reduce((sum, pause) => sum + pause, 0)
/** Seconds that a receiver may ask for with Retry-After, if the pause is shorter. */
const maxRetryAfter = 3600

/** Of a message that was not tried, because an earlier one of its template waits. */
export const notTried: Failure = { attempts: 0, error: null, pause: null }

/**
 * Returns what follows from an answer to an attempt, the first of which is 1; undefined if the message was delivered. A
 * message that waited for an earlier one of its template as long as all pauses is dead at its first failure: otherwise more
 * would come to wait than are given up.
 */
export function toFailure(
  attempts: number,
  { error, retryAfter = 0 }: Answer,
  timeStored?: string
): Failure | undefined {
  if (error === null) return undefined
  const usual = pauses[attempts - 1]
  const age = timeStored === undefined ? 0 : (Date.now() - Date.parse(timeStored)) / 1000
  if (usual === undefined || age > longestAge) return { attempts, error, pause: null }
  const varied = usual * (0.9 + Math.random() * 0.2)
  return { attempts, error, pause: Math.round(Math.max(varied, Math.min(retryAfter, maxRetryAfter))) }
}

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
