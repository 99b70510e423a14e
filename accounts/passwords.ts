import { generateSecret, hashPassword, hashSecret, type PasswordCost } from '../credentials/secrets.ts'
import { forgetAttempts } from '../db/accounts/attempts.ts'
import { findUserOfLink, insertPasswordLink } from '../db/accounts/password-links.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import { findUserById, type StoredUser, updatePassword } from '../db/accounts/users.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'

/** Gives a user a new password, ends all tokens, sessions and links, and unlocks the account. `db` is a transaction. */
export async function replacePassword(db: Db, user: StoredUser, passwordHash: string): Promise<void> {
  await updatePassword(db, user.email, passwordHash)
  await revokeFamilies(db, { user_id: user.id })
  await forgetAttempts(db, { account: user.email })
}

/** Makes the token of a link with which a user sets a password, once, within a day. The database has only its hash. */
export async function createPasswordLink(db: Db, user: StoredUser): Promise<string> {
  const token = generateSecret()
  await insertPasswordLink(db, hashSecret(token), user)
  return token
}

/** Finds the user of a link that can be used. */
export async function findLinkedUser(db: Db, token: string): Promise<StoredUser | undefined> {
  const id = await findUserOfLink(db, hashSecret(token))
  return id === undefined ? undefined : findUserById(db, id)
}

/** Sets the password of a link's user. Returns undefined and does nothing if the link cannot be used any more. */
export async function usePasswordLink(
  db: Db,
  token: string,
  password: string,
  cost: PasswordCost
): Promise<StoredUser | undefined> {
  // Hashed outside the transaction, because it takes long.
  const passwordHash = await hashPassword(password, cost)
  return transact(db, async transaction => {
    const user = await findLinkedUser(transaction, token)
    if (user) await replacePassword(transaction, user, passwordHash)
    return user
  })
}
