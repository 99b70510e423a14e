import * as identities from '../db/accounts/logins/identities.ts'
import { noActor, recordUserEvent } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { accountMissing } from '../errors.ts'
import { requireUser } from './users.ts'

type Identity = identities.Identity

/** Who a user is at OpenID providers. Rejects with AccountError if there is no such user. */
export const listIdentities = async (db: Db, email: string): Promise<Identity[]> =>
  identities.listIdentities(db, (await requireUser(db, email)).id)

/**
 * Lets a user log in at a provider; an identity that another user had until now is moved. Rejects with AccountError if there
 * is no such user.
 */
export const linkIdentity = (db: Db, email: string, identity: Identity, actor = noActor): Promise<void> =>
  transact(db, async transaction => {
    const user = await requireUser(transaction, email)
    await identities.linkIdentity(transaction, user.id, identity)
    await recordUserEvent(transaction, actor, 'user.link_identity', user, identity)
  })

/** Rejects with AccountError if there is no such user with this identity. Tokens and sessions of the user go on. */
export const unlinkIdentity = (db: Db, email: string, identity: Identity, actor = noActor): Promise<void> =>
  transact(db, async transaction => {
    const user = await requireUser(transaction, email)
    if ((await identities.findUserOfIdentity(transaction, identity)) !== user.id)
      throw accountMissing(`identity ${identity.subject} of user ${email}`)
    await identities.unlinkIdentity(transaction, identity)
    await recordUserEvent(transaction, actor, 'user.unlink_identity', user, identity)
  })
