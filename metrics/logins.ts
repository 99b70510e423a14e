import { PublicError } from '../errors.ts'
import type { LoginOutcome, Metrics } from './metrics.ts'

/** Counts a login by its outcome. Resolves or rejects as the login does. */
export async function countLogin<User>(metrics: Metrics, login: Promise<User>): Promise<User> {
  try {
    const user = await login
    metrics.counter('logins_total').inc({ outcome: 'succeeded' })
    return user
  } catch (error) {
    const outcome = (error instanceof PublicError && outcomes[error.statusCode]) || 'failed'
    metrics.counter('logins_total').inc({ outcome })
    throw error
  }
}

const outcomes: Record<number, LoginOutcome> = { 400: 'refused', 429: 'locked', 503: 'busy' }
