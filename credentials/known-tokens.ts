import { LRUCache } from 'lru-cache'
import type { AccessTokenClaims } from './access-token.ts'

/** A token whose signature and claims were right. */
export interface KnownToken {
  readonly claims: AccessTokenClaims
  /** The key that signed it. */
  readonly kid: string
  /** The `Version.access` at which nothing had ended it. */
  readonly access?: string
}

const maxTokens = 10_000
/** Characters. */
const longestKept = 4096

/** Milliseconds between two looks for expired tokens. */
const lookInterval = 30_000

/** Remembers verified tokens by their text, so that each signature is verified once. */
export class KnownTokens {
  readonly #tokens = new LRUCache<string, KnownToken>({ max: maxTokens })
  #lookedAt = Date.now()

  /** Returns a token that this issuer has issued and that has not expired. */
  find(text: string, issuer: string): KnownToken | undefined {
    const known = this.#tokens.get(text)
    return known !== undefined && !isExpired(known) && known.claims.iss === issuer ? known : undefined
  }

  add(text: string, token: KnownToken): void {
    this.#forgetExpired()
    if (text.length <= longestKept) this.#tokens.set(text, Object.freeze(token))
  }

  /** Short-lived tokens would fill the memory up to the limit, although nobody can use them any more. */
  #forgetExpired(): void {
    if (Math.abs(Date.now() - this.#lookedAt) < lookInterval) return
    this.#lookedAt = Date.now()
    for (const [text, known] of [...this.#tokens.entries()]) if (isExpired(known)) this.#tokens.delete(text)
  }
}

/** A token is invalid "on or after" the second `exp`, RFC 7519 §4.1.4. */
export const isExpired = ({ claims }: KnownToken): boolean => claims.exp * 1000 <= Date.now()
