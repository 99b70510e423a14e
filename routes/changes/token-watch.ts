import { orUndefined } from '../../errors.ts'
import { publicError } from '../../plugins/error-handler.ts'
import type { Tokens } from '../../plugins/tokens.ts'

/** Checks the token of a stream again and again: it may expire or be revoked. */
export class TokenWatch {
  readonly #verify: () => Promise<unknown>
  readonly #expires: number
  readonly #interval: number
  #due = 0

  /** `exp` is in seconds since the epoch; `interval` is in seconds. The token was just verified. */
  constructor(tokens: Tokens, token: string, { exp, interval }: { exp: number; interval: number }) {
    this.#verify = () => orUndefined(tokens.verify(token))
    this.#expires = exp * 1000
    this.#interval = interval * 1000
    this.#postpone()
  }

  /** Milliseconds until the next check is due. */
  timeToCheck(): number {
    return Math.max(0, this.#due - Date.now())
  }

  /** Verifies the token if it is time. Without the database it stays valid until it expires. */
  async isValid(): Promise<boolean> {
    if (Date.now() >= this.#expires) return false
    if (Date.now() < this.#due) return true
    this.#postpone()
    try {
      return (await this.#verify()) !== undefined
    } catch (error) {
      if (publicError(error).code === 'unavailable') return true
      throw error
    }
  }

  #postpone(): void {
    this.#due = Math.min(Date.now() + this.#interval, this.#expires)
  }
}
