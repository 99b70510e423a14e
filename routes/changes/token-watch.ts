import type { Version } from '../../db/versions.ts'
import { orUndefined, publicError } from '../../errors.ts'
import type { Tokens } from '../../plugins/tokens.ts'

export type TokenWatch = ReturnType<typeof watchToken>

/**
 * Checks the token of a stream again and again: it may expire or be revoked. `exp` is in seconds since the epoch; the
 * interval between heartbeats is in seconds. The token was just verified.
 */
export function watchToken(
  tokens: Tokens,
  token: string,
  { exp, interval }: { exp: number; interval: number }
) {
  const nextHeartbeat = () => 1000 * Math.min(Date.now() / 1000 + interval, exp)
  let due = nextHeartbeat()
  return {
    /** Milliseconds until the next heartbeat, or until the token expires. */
    timeToHeartbeat: () => Math.max(0, due - Date.now()),
    /**
     * Verifies the token, unless it is known to be valid at this version. While the database is unavailable, the token
     * stays valid until it expires.
     */
    async isValid(version: Version | undefined): Promise<boolean> {
      if (Date.now() >= exp * 1000) return false
      if (Date.now() >= due) due = nextHeartbeat()
      if (tokens.recall(token, version)) return true
      try {
        return (await orUndefined(tokens.verify(token))) !== undefined
      } catch (error) {
        if (publicError(error).code === 'unavailable') return true
        throw error
      }
    }
  }
}
