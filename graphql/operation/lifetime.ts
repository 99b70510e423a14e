import { makeError, nothingWritten } from '../errors.ts'

/**
 * The time in which an operation runs. It ends when the result is complete, the time is over, or the client has gone.
 */
export class Lifetime {
  #timeoutSaysNothingWritten = false
  /** Why it has ended. */
  #reason: unknown
  readonly #seconds: number
  /** A time of performance.now(). */
  #endsAt: number
  #timer: NodeJS.Timeout
  #abort: AbortController | undefined
  #rejectRace: ((reason: unknown) => void) | undefined

  /** It begins now. The timeout error has the `seconds` of the setting, of which the `milliseconds` may be a part. */
  constructor(seconds: number, milliseconds = seconds * 1000) {
    this.#seconds = seconds
    this.#endsAt = performance.now() + milliseconds
    this.#timer = setTimeout(Lifetime.#timeOut, milliseconds, this)
  }

  get millisecondsLeft(): number {
    return Math.max(0, this.#endsAt - performance.now())
  }

  /** Aborts when it ends, with the reason. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#reason !== undefined) this.#abort.abort(this.#reason)
    return this.#abort.signal
  }

  throwIfEnded(): void {
    if (this.#reason !== undefined) throw this.#reason
  }

  /** Settles like the result. Rejects as soon as this ends or is interrupted, without waiting for unfinished work. */
  race<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason)
      this.#rejectRace = reject
      result.then(resolve, reject)
    })
  }

  /** Rejects the race. The time goes on. */
  interrupt(reason: unknown): void {
    this.#rejectRace?.(reason)
  }

  /** Ends it. Only the first reason counts. */
  end(reason: unknown): void {
    clearTimeout(this.#timer)
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#abort?.abort(reason)
    this.#rejectRace?.(reason)
  }

  /** Sets whether the timeout error says that nothing was written. While that is unknown, it says nothing about it. */
  letTimeoutSayNothingWritten(isCertain: boolean): void {
    this.#timeoutSaysNothingWritten = isCertain
  }

  extend(milliseconds: number): void {
    this.#endsAt += milliseconds
    clearTimeout(this.#timer)
    this.#timer = setTimeout(Lifetime.#timeOut, this.millisecondsLeft, this)
  }

  /** One function for all operations, because a closure for each takes more time. */
  static #timeOut(lifetime: Lifetime): void {
    const { advice, ...reason } = lifetime.#timeoutSaysNothingWritten ? nothingWritten : { advice: '' }
    const message = `the operation took longer than ${lifetime.#seconds} seconds${advice}`
    lifetime.end(makeError(message, 'TIMEOUT', reason))
  }
}
