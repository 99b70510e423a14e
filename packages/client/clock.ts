/** Time and randomness; tests replace them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after this time; rejects with the signal's reason once it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
  /** A number between 0 and 1. */
  random(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) => {
    let timer: ReturnType<typeof setTimeout>
    const elapsed = new Promise<void>(resolve => {
      // A longer timer would fire immediately.
      timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1))
    })
    return abortable(elapsed, signal).finally(() => clearTimeout(timer))
  }
}

/** Rejects with the signal's reason once it is aborted. The promise itself continues. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Calls `act` after a time. Returns a function that cancels the call. */
export function callLater(clock: Clock, milliseconds: number, act: () => void): () => void {
  const stop = new AbortController()
  clock.sleep(milliseconds, stop.signal).then(act, () => {})
  return () => stop.abort()
}
