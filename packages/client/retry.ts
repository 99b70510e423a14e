import { type Clock, callLater } from './clock.ts'
import { isTemporary, ResponseError, TimeoutError } from './errors.ts'

/** How often and how long an operation is tried. */
export interface RetryOptions {
  /** Requests for one operation, at most. Default 5; 1 never retries. */
  attempts?: number
  /** Milliseconds for one operation with all its attempts and pauses. Default 60,000. */
  maxTime?: number
  /** Milliseconds of the first pause, at most; each further one may be twice as long. Default 250. */
  minDelay?: number
  /** Milliseconds of a pause, at most, unless the service asks for more. Default 8,000. */
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

/** Errors that a loop has given up on: a loop around it must not multiply its attempts. */
const settled = new WeakSet<object>()

/** Makes attempts until one succeeds. Throws the error of the last one, or a {@link TimeoutError} after `maxTime`. */
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

/** Milliseconds until the next attempt: what the service asks for, and a random time so that clients spread out. */
export function pauseAfter(
  error: unknown,
  made: number,
  retry: Required<RetryOptions>,
  clock: Clock
): number {
  const asked = (error instanceof ResponseError && error.retryAfter) || 0
  return asked + clock.random() * Math.min(retry.maxDelay, retry.minDelay * 2 ** (made - 1))
}
