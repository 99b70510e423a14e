/** Time and chance. Tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after these milliseconds; rejects with the reason of the signal once that is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
  /** A number from 0 to 1. */
  random(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) => {
    let timer: ReturnType<typeof setTimeout>
    const elapsed = new Promise<void>(resolve => {
      // A longer one would be over at once.
      timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1))
    })
    return abortable(elapsed, signal).finally(() => clearTimeout(timer))
  }
}

/** Rejects with the reason of the signal once that is aborted; the promise itself goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Calls `act` after a time; returns a function that prevents it. */
export function callLater(clock: Clock, milliseconds: number, act: () => void): () => void {
  const stop = new AbortController()
  clock.sleep(milliseconds, stop.signal).then(act, () => {})
  return () => stop.abort()
}
