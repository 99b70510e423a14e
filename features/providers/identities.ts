/** The operations on the identities of users at OpenID providers. */
import { requireUser } from '../../accounts/users.ts'
import { findUserById, type StoredUser } from '../../db/accounts/users.ts'
import { makeAuditedChange } from '../../db/audit/change.ts'
import { noActor, recordEvent } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { accountMissing } from '../../runtime/host-errors.ts'
import type { ProviderAction } from './index.ts'
import * as stored from './rows.ts'

/** Changes what a user logs in with, and records the change in the audit trail. */
const changeLogins = makeAuditedChange<StoredUser, ProviderAction>(requireUser)

/** Lists the identities of a user. Rejects with StoreError if there is no such user. */
export async function listIdentities(db: Db, email: string): Promise<stored.Identity[]> {
  const { id } = await requireUser(db, email)
  return (await stored.listIdentities(db, [id])).map(({ issuer, subject }) => ({ issuer, subject }))
}

/**
 * Lets a user log in with an identity at a provider. If another user has the identity, it moves, and the audit trail
 * says so of both. Rejects with StoreError if there is no such user.
 */
export const linkIdentity = (
  db: Db,
  email: string,
  identity: stored.Identity,
  actor = noActor
): Promise<void> =>
  changeLogins(db, email, ['user.link_identity', actor, () => identity], async (transaction, { id }) => {
    const former = await stored.findUserOfIdentity(transaction, identity)
    if (former !== undefined && former !== id) {
      const user = (await findUserById(transaction, former)) as StoredUser
      await recordEvent<ProviderAction>(transaction, actor, 'user.unlink_identity', user, identity)
    }
    await stored.linkIdentity(transaction, id, identity)
  })

/**
 * Removes an identity of a user. Tokens and sessions stay valid. Rejects with StoreError if there is no such user,
 * or if the user does not have the identity.
 */
export const unlinkIdentity = (
  db: Db,
  email: string,
  identity: stored.Identity,
  actor = noActor
): Promise<void> =>
  changeLogins(db, email, ['user.unlink_identity', actor, () => identity], async (transaction, { id }) => {
    if ((await stored.findUserOfIdentity(transaction, identity)) !== id)
      throw accountMissing(`identity ${identity.subject} of user ${email}`)
    await stored.unlinkIdentity(transaction, identity)
  })
