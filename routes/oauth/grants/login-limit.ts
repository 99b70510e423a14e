import { countAttempt, forgetAttempts, readAttempts } from '../../../db/accounts/attempts.ts'
import { emailKey } from '../../../db/accounts/email-key.ts'
import { tooManyRequests } from '../../../errors.ts'
import type { GrantRequest } from './grant.ts'

/**
 * So many failed logins of an account in a window, whether there is such an account or not; a good one
 * clears them. Failures count when they are known: those under way at once may go beyond the limit, but
 * there are never more of them than the queue of hashes has places.
 */
export function loginLimit({ db, settings: { accountLimit, accountWindow } }: GrantRequest, email: string) {
  const subject = { account: emailKey(email) }
  let failures = 0
  return {
    /** Throws 429 with the seconds until the window ends. */
    async check() {
      if (accountLimit === 0) return
      const { count, secondsLeft } = await readAttempts(db, subject)
      if (count >= accountLimit) throw tooManyRequests('failed logins of the account', secondsLeft)
      failures = count
    },
    async failed() {
      if (accountLimit > 0) await countAttempt(db, subject, accountWindow)
    },
    async succeeded() {
      if (failures > 0) await forgetAttempts(db, subject)
    }
  }
}
