import { forgetFailures } from '../db/accounts/attempts.ts'
import { findUserOfLink, insertLink } from '../db/accounts/logins/one-time.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import { type StoredUser, updatePassword } from '../db/accounts/users.ts'
import { type AuditActor, makeUserActor, recordEvent } from '../db/audit/record.ts'
import type { Db, Transaction } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import type { AuditAction } from '../domain/audit-actions.ts'
import type { PasswordCost } from '../options/service.ts'
import { generateSecret, hashPassword, hashSecret } from './credentials/secrets.ts'

/** Sets the password of a user, ends all tokens, sessions and links, and unlocks the account. */
export async function replacePassword(
  transaction: Transaction,
  user: StoredUser,
  passwordHash: string,
  actor: AuditActor,
  action: AuditAction = 'user.set_password'
): Promise<void> {
  await recordEvent(transaction, actor, action, user)
  await updatePassword(transaction, user.email, passwordHash)
  await revokeFamilies(transaction, { user_id: user.id })
  await forgetFailures(transaction, { kind: 'account', id: user.email })
}

/** Makes the token of a link for setting a password. The link works once, within a day. */
export async function createLinkToken(db: Db, user: StoredUser, actor: AuditActor): Promise<string> {
  const token = generateSecret()
  await transact(db, async transaction => {
    await insertLink(transaction, user, hashSecret(token))
    await recordEvent(transaction, actor, 'user.create_link', user)
  })
  return token
}

/** Makes the link for a token. `issuer` is the address of the service. */
export const toPasswordLink = (issuer: string, token: string): string =>
  `${issuer}/oauth/password?token=${token}`

/** Finds the user of a link; undefined if the link does not work any more. */
export const findLinkedUser = (db: Db, token: string): Promise<StoredUser | undefined> =>
  findUserOfLink(db, hashSecret(token))

/** Sets a password by a link, and returns the user. If the link does not work any more, returns undefined. */
export async function usePasswordLink(
  db: Db,
  token: string,
  password: string,
  { cost, request }: { cost: PasswordCost; request: { ip: string } }
): Promise<StoredUser | undefined> {
  // Outside the transaction, because hashing is slow.
  const passwordHash = await hashPassword(password, cost)
  return transact(db, async transaction => {
    const user = await findLinkedUser(transaction, token)
    if (user)
      await replacePassword(transaction, user, passwordHash, makeUserActor(user, request), 'user.use_link')
    return user
  })
}
