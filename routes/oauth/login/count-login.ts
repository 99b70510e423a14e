import { PublicError } from '../../../errors.ts'
import type { LoginOutcome, Metrics } from '../../../metrics/metrics.ts'

/** Runs a login by password, and counts how it ended. A malformed request is no login. */
export async function countLogin<Result>(metrics: Metrics, run: () => Promise<Result>): Promise<Result> {
  try {
    const result = await run()
    metrics.counter('logins_total').inc({ outcome: 'succeeded' })
    return result
  } catch (error) {
    const outcome = findOutcome(error)
    if (outcome) metrics.counter('logins_total').inc({ outcome })
    throw error
  }
}

function findOutcome(error: unknown): LoginOutcome | undefined {
  if (!(error instanceof PublicError)) return 'failed'
  const { code, statusCode } = error
  if (code === 'invalid_grant') return 'refused'
  if (statusCode === 429) return 'locked'
  if (statusCode === 503) return 'busy'
  return undefined
}
