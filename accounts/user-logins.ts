/** The consents of a user to clients, and the identities of a user at OpenID providers. */
import * as consents from '../db/accounts/logins/consents.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import { noActor } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import * as identities from '../features/providers/rows.ts'
import { accountMissing } from '../runtime/host-errors.ts'
import { changeUser, requireUser } from './users.ts'

/**
 * Lists the clients that a user has given consent to, with the scopes. Rejects with AccountError if there is no such
 * user.
 */
export const listConsents = async (db: Db, email: string) =>
  consents.listConsents(db, (await requireUser(db, email)).id)

/**
 * Revokes a user's consent to a client, and the refresh tokens of the client for the user. Rejects with AccountError
 * if there is no such user or consent.
 */
export const revokeConsent = (db: Db, email: string, clientId: string, actor = noActor): Promise<void> =>
  changeUser(
    db,
    email,
    ['user.revoke_consent', actor, () => ({ clientId })],
    async (transaction, { id: userId }) => {
      if (!(await consents.deleteConsent(transaction, { userId, clientId })))
        throw accountMissing(`consent of user ${email} to client ${clientId}`)
      await revokeFamilies(transaction, { user_id: userId, client_id: clientId })
    }
  )

type Identity = identities.Identity

/** Lists the identities of a user at OpenID providers. Rejects with AccountError if there is no such user. */
export const listIdentities = async (db: Db, email: string): Promise<Identity[]> =>
  identities.listIdentities(db, (await requireUser(db, email)).id)

/**
 * Lets a user log in with an identity at a provider. If another user has the identity, it moves. Rejects with
 * AccountError if there is no such user.
 */
export const linkIdentity = (db: Db, email: string, identity: Identity, actor = noActor): Promise<void> =>
  changeUser(db, email, ['user.link_identity', actor, () => identity], (transaction, { id }) =>
    identities.linkIdentity(transaction, id, identity)
  )

/**
 * Removes an identity of a user. Tokens and sessions stay valid. Rejects with AccountError if there is no such user,
 * or if the user does not have the identity.
 */
export const unlinkIdentity = (db: Db, email: string, identity: Identity, actor = noActor): Promise<void> =>
  changeUser(db, email, ['user.unlink_identity', actor, () => identity], async (transaction, { id }) => {
    if ((await identities.findUserOfIdentity(transaction, identity)) !== id)
      throw accountMissing(`identity ${identity.subject} of user ${email}`)
    await identities.unlinkIdentity(transaction, identity)
  })
