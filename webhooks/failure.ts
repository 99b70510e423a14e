import type { Failure } from '../db/webhooks/deliveries.ts'
import type { Answer } from './send.ts'

/** Seconds before each further attempt: more than a day in all. They vary by a tenth, so that not all come at once. */
const pauses = [5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000]
/** Seconds that a receiver may ask for with Retry-After, if the pause is shorter. */
const maxRetryAfter = 3600

/** Of a message that was not tried, because an earlier one of its template waits. */
export const notTried: Failure = { attempts: 0, error: null, pause: null }

/** Returns what follows from an answer to an attempt, the first of which is 1; undefined if the message was delivered. */
export function toFailure(attempts: number, { error, retryAfter = 0 }: Answer): Failure | undefined {
  if (error === null) return undefined
  const usual = pauses[attempts - 1]
  if (usual === undefined) return { attempts, error, pause: null }
  const varied = usual * (0.9 + Math.random() * 0.2)
  return { attempts, error, pause: Math.round(Math.max(varied, Math.min(retryAfter, maxRetryAfter))) }
}
