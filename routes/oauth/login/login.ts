import { verifyPassword } from '../../../credentials/password.ts'
import { findUserByEmail, type User } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { invalidGrant } from '../../../errors.ts'
import type { ServiceSettings } from '../../../options.ts'
import { loginLimit } from './login-limit.ts'
import { absentUserHash, renewHash } from './password-hash.ts'

export interface Login {
  email: string
  password: string
}

/**
 * Authenticates a user, with the limit of failed logins. Throws `invalid_grant` for an unknown or disabled user and a wrong
 * password alike, after the same work; 429 beyond the limit, 503 if the queue of hashes is full.
 */
export async function authenticateUser(
  db: Db,
  { email, password }: Login,
  settings: ServiceSettings
): Promise<User> {
  const limit = loginLimit(db, email, settings)
  await limit.check()
  const user = await findUserByEmail(db, email)
  // The same work for an unknown user, so that the time reveals nothing.
  const passwordHash = user?.passwordHash ?? (await absentUserHash(db, email, settings))
  const matches = await verifyPassword(password, passwordHash)
  if (!user || !matches || user.disabled) {
    await limit.failed()
    throw invalidGrant(reasonOf(user, matches))
  }
  await limit.succeeded()
  await renewHash(db, user, password, settings)
  return user
}

/** The reason for the log. To the caller all of these look the same. */
function reasonOf(user: User | undefined, matches: boolean): string {
  if (!user) return 'unknown user'
  return matches ? `user ${user.id} is disabled` : `wrong password of user ${user.id}`
}
