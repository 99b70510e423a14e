import { PublicError } from '../../errors.ts'
import type { LoginOutcome, Metrics } from '../../metrics/metrics.ts'
import type { Grant, Granted } from './grants/grant.ts'

/** Runs a grant, and counts how it ended if it is a login by password. A malformed request is no login. */
export async function countLogin(
  metrics: Metrics,
  { grantType }: Grant,
  run: () => Promise<Granted>
): Promise<Granted> {
  if (grantType !== 'password') return run()
  try {
    const granted = await run()
    metrics.logins.add('succeeded')
    return granted
  } catch (error) {
    const outcome = findOutcome(error)
    if (outcome) metrics.logins.add(outcome)
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
