import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { costOf, hashPassword, unmatchableHash } from '../../../credentials/password.ts'
import type { PasswordCost } from '../../../credentials/password-cost.ts'
import { emailKey } from '../../../db/accounts/email-key.ts'
import { findPasswordHash, replacePasswordHash, type User } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { publicError } from '../../../plugins/error-handler.ts'

/**
 * Makes a hash to verify against if there is no user. It matches nothing and costs as much as the hash of some account,
 * always the same one for an e-mail address, so that the time of a refusal does not reveal whether the account exists,
 * even while accounts have hashes of different costs.
 */
export async function absentUserHash(db: Db, email: string, settings: PasswordCost): Promise<string> {
  const address = emailKey(email)
  const first = await findPasswordHash(db, digest(address))
  // A second step with a hash as the secret; otherwise anyone could compute which addresses share an account.
  const borrowed = first && (await findPasswordHash(db, digest(first + address)))
  return unmatchableHash(costOf(borrowed ?? '') ?? settings)
}

/**
 * Hashes the password of a successful login again if the cost of its hash differs from the settings. The user's tokens
 * stay valid, and a password changed in the meantime is kept.
 */
export async function renewHash(db: Db, user: User, password: string, settings: PasswordCost): Promise<void> {
  const { passwordMemory, passwordIterations, passwordParallelism } = settings
  const cost: PasswordCost = { passwordMemory, passwordIterations, passwordParallelism }
  if (isDeepStrictEqual(costOf(user.passwordHash), cost)) return
  try {
    await replacePasswordHash(db, user.id, user.passwordHash, await hashPassword(password, settings))
  } catch (error) {
    // Not a reason to refuse the login; the next login tries again.
    if (publicError(error).statusCode !== 503) throw error
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
