import type { Version } from '../../db/versions.ts'
import { orUndefined } from '../../errors.ts'
import { publicError } from '../../plugins/error-handler.ts'
import type { Tokens } from '../../plugins/tokens.ts'

/** Checks the token of a stream again and again: it may expire or be revoked. */
export class TokenWatch {
  readonly #tokens: Tokens
  readonly #token: string
  readonly #expires: number
  readonly #interval: number
  #due = 0

  /** `exp` is in seconds since the epoch; `interval` between heartbeats is in seconds. The token was just verified. */
  constructor(tokens: Tokens, token: string, { exp, interval }: { exp: number; interval: number }) {
    this.#tokens = tokens
    this.#token = token
    this.#expires = exp * 1000
    this.#interval = interval * 1000
    this.#postpone()
  }

  /** Milliseconds until the next heartbeat, or until the token expires. */
  timeToHeartbeat(): number {
    return Math.max(0, this.#due - Date.now())
  }

  /**
   * Verifies the token, unless it is known to be valid at this version. While the database is unavailable, the token
   * stays valid until it expires.
   */
  async isValid(version: Version | undefined): Promise<boolean> {
    if (Date.now() >= this.#expires) return false
    if (Date.now() >= this.#due) this.#postpone()
    if (this.#tokens.recall(this.#token, version)) return true
    try {
      return (await orUndefined(this.#tokens.verify(this.#token))) !== undefined
    } catch (error) {
      if (publicError(error).code === 'unavailable') return true
      throw error
    }
  }

  #postpone(): void {
    this.#due = Math.min(Date.now() + this.#interval, this.#expires)
  }
}
