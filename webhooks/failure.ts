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
