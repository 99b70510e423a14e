import { countAttempt, forgetAttempts, readAttempts } from '../../../db/accounts/attempts.ts'
import { emailKey } from '../../../db/accounts/email-key.ts'
import type { Db } from '../../../db/schema.ts'
import { tooManyRequests } from '../../../errors.ts'
import type { ServiceSettings } from '../../../options.ts'

/**
 * Limits failed logins per account and window, whether or not the account exists. A successful login clears the
 * failures. A failure counts once it is known, so concurrent logins may exceed the limit, but only by the number of
 * places in the hash queue.
 */
export function loginLimit(db: Db, email: string, { accountLimit, accountWindow }: ServiceSettings) {
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
