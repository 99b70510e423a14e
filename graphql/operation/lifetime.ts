/** The lifetime of an operation. It ends when the result is complete, the time is over, or the client has gone. */
export class Lifetime {
  /** The reason of the end. */
  #reason: unknown
  #abort: AbortController | undefined
  #reject: ((reason: unknown) => void) | undefined
  /** A time of performance.now(). */
  #endsAt: number
  readonly #makeTimeout: () => unknown
  #deadline: NodeJS.Timeout

  /** Begins now. After so many milliseconds, it ends with the reason that `makeTimeout` makes. */
  constructor(milliseconds: number, makeTimeout: () => unknown) {
    this.#endsAt = performance.now() + milliseconds
    this.#makeTimeout = makeTimeout
    this.#deadline = setTimeout(timeOut, milliseconds, this)
  }

  /** Milliseconds until its time is over. */
  get milliseconds(): number {
    return Math.max(0, this.#endsAt - performance.now())
  }

  /** Aborts when it ends, with the reason. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#reason !== undefined) this.#abort.abort(this.#reason)
    return this.#abort.signal
  }

  /** Settles like the result. Rejects as soon as this ends, without waiting for unfinished work. */
  race<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason)
      this.#reject = reject
      result.then(resolve, reject)
    })
  }

  /** Rejects the latest {@link race}. */
  interrupt(reason: unknown): void {
    this.#reject?.(reason)
  }

  /** Ends it. Only the first reason counts. */
  end(reason: unknown): void {
    clearTimeout(this.#deadline)
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#abort?.abort(reason)
    this.#reject?.(reason)
  }

  /** Ends it because its time is over. */
  timeOut(): void {
    this.end(this.#makeTimeout())
  }

  /** Lets it take longer by so many milliseconds. */
  waitLonger(milliseconds: number): void {
    this.#endsAt += milliseconds
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(timeOut, this.milliseconds, this)
  }

  /** Throws the reason if it has ended. */
  assertRunning(): void {
    if (this.#reason !== undefined) throw this.#reason
  }
}

/** One function for all, because a closure for each takes more time. */
const timeOut = (lifetime: Lifetime): void => lifetime.timeOut()
