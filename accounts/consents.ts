/** The consents of a user to clients. */
import * as consents from '../db/accounts/logins/consents.ts'
import { revokeFamilies } from '../db/accounts/refresh-tokens.ts'
import { noActor } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { accountMissing } from '../runtime/host-errors.ts'
import { changeUser, requireUser } from './users.ts'

/** Lists the clients that a user has given consent to, with scopes. Rejects with StoreError for an unknown user. */
export const listConsents = async (db: Db, email: string) =>
  consents.listConsents(db, (await requireUser(db, email)).id)

/** Revokes a user's consent to a client, and refresh tokens. Rejects with StoreError if there is none. */
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
