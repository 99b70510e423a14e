import type { FastifyRequest } from 'fastify'
import type { Version } from '../../db/versions.ts'
import { publicError } from '../../errors.ts'
import { hasScope } from '../../plugins/bearer-auth.ts'
import type { VerifiedToken } from '../../plugins/tokens.ts'

export type TokenWatch = ReturnType<typeof watchToken>

/**
 * Checks the token of a stream again and again: it may expire or be revoked. The interval between heartbeats is in seconds.
 * The token was just verified.
 */
export function watchToken(request: FastifyRequest, interval: number) {
  const { productCallers: callers } = request.server
  const { exp } = request.productToken as VerifiedToken
  const nextHeartbeat = () => 1000 * Math.min(Date.now() / 1000 + interval, exp)
  let due = nextHeartbeat()
  return {
    /** That of the caller when the token was last verified. */
    get rule() {
      return request.productToken?.rule
    },
    /** Milliseconds until the next heartbeat, or until the token expires. */
    timeToHeartbeat: () => Math.max(0, due - Date.now()),
    /** While the database is unavailable, the token stays valid until it expires. */
    async isValid(version: Version | undefined): Promise<boolean> {
      if (Date.now() >= exp * 1000) return false
      if (Date.now() >= due) due = nextHeartbeat()
      try {
        const caller = await (version ? callers.verify(request, version) : callers.recognize(request))
        request.productToken = caller
        // A host may have taken the scope away.
        return hasScope(caller, ['read'])
      } catch (error) {
        const { code } = publicError(error)
        if (code !== 'invalid_token' && code !== 'missing_token' && code !== 'unavailable') throw error
        return code === 'unavailable'
      }
    }
  }
}
