import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { costOf, hashPassword, type PasswordCost, unmatchableHash } from '../../../credentials/password.ts'
import { emailKey } from '../../../db/accounts/email-key.ts'
import { findPasswordHash, replacePasswordHash, type User } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { publicError } from '../../../plugins/error-handler.ts'

/**
 * What the password is verified against when there is no user: a hash that matches nothing and costs as much as that of
 * some account, always the same one for an e-mail address. While accounts have hashes of several costs, the time of
 * a refusal must not tell that an account has none.
 */
export async function absentUserHash(db: Db, email: string, settings: PasswordCost): Promise<string> {
  const address = emailKey(email)
  const first = await findPasswordHash(db, digest(address))
  // Once more with a hash as the secret: else anybody could compute which addresses share an account.
  const borrowed = first && (await findPasswordHash(db, digest(first + address)))
  return unmatchableHash(costOf(borrowed ?? '') ?? settings)
}

/**
 * Hashes the password of a good login again where its hash has another cost than the settings. Tokens of the user go on,
 * and a password that was changed meanwhile stays.
 */
export async function renewHash(db: Db, user: User, password: string, settings: PasswordCost): Promise<void> {
  const { passwordMemory, passwordIterations, passwordParallelism } = settings
  const cost: PasswordCost = { passwordMemory, passwordIterations, passwordParallelism }
  if (isDeepStrictEqual(costOf(user.passwordHash), cost)) return
  try {
    await replacePasswordHash(db, user.id, user.passwordHash, await hashPassword(password, settings))
  } catch (error) {
    // No reason to refuse the login: the next one tries again.
    if (publicError(error).statusCode !== 503) throw error
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
