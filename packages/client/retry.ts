import { type Clock, callLater } from './clock.ts'
import { isTemporary, ResponseError, TimeoutError } from './errors.ts'

/** The limits of retries. */
export interface RetryOptions {
  /** The maximum number of requests per operation; 1 disables retries. Default: 5. */
  attempts?: number
  /** The maximum time of an operation with all attempts and pauses, in milliseconds. Default: 60,000. */
  maxTime?: number
  /** The maximum first pause, in milliseconds. It doubles with each attempt. Default: 250. */
  minDelay?: number
  /** The maximum pause, in milliseconds, unless the service asks for a longer one. Default: 8,000. */
  maxDelay?: number
}

export const retryDefaults: Required<RetryOptions> = {
  attempts: 5,
  maxTime: 60_000,
  minDelay: 250,
  maxDelay: 8000
}

interface RetryContext {
  clock: Clock
  retry: Required<RetryOptions>
  signal?: AbortSignal | undefined
  /** Whether an error allows another attempt. */
  mayRetry?: (error: unknown) => boolean
}

/** Errors after which an inner loop gave up. An outer loop must not multiply the attempts. */
const settled = new WeakSet<object>()

/** Retries until an attempt succeeds. Throws the last error, or a {@link TimeoutError} after `maxTime`. */
export async function withRetry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { clock, retry, signal, mayRetry = isTemporary }: RetryContext
): Promise<T> {
  const overtime = new AbortController()
  const timeout = () => overtime.abort(new TimeoutError(`no result within ${retry.maxTime} ms`))
  const cancel = callLater(clock, retry.maxTime, timeout)
  const either = signal ? AbortSignal.any([signal, overtime.signal]) : overtime.signal
  const end = clock.now() + retry.maxTime
  try {
    for (let made = 1; ; made++) {
      try {
        either.throwIfAborted()
        return await attempt(either)
      } catch (error) {
        const pause = pauseAfter(error, made, retry, clock)
        const isLast = made >= retry.attempts || clock.now() + pause >= end || !mayRetry(error)
        if (either.aborted || settled.has(error as object) || isLast) {
          if (error instanceof Error) settled.add(error)
          throw error
        }
        await clock.sleep(pause, either)
      }
    }
  } finally {
    cancel()
  }
}

/**
 * Returns the pause before the next attempt, in milliseconds: the time that the service asks for, plus a random time
 * that spreads clients out.
 */
export function pauseAfter(
  error: unknown,
  made: number,
  retry: Required<RetryOptions>,
  clock: Clock
): number {
  const retryAfter = (error instanceof ResponseError && error.retryAfter) || 0
  return retryAfter + clock.random() * Math.min(retry.maxDelay, retry.minDelay * 2 ** (made - 1))
}
