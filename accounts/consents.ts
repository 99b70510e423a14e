import * as rows from '../db/accounts/consents.ts'
import { revokeFamiliesOfUser } from '../db/accounts/refresh-tokens.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { accountMissing } from '../errors.ts'
import { requireUser } from './users.ts'

/** The clients that a user has allowed something, with the scopes. Rejects with AccountError if there is no such user. */
export async function listConsents(db: Db, email: string): Promise<{ clientId: string; scopes: string[] }[]> {
  const { id } = await requireUser(db, email)
  return rows.listConsents(db, id)
}

/**
 * Takes back what a user has allowed a client, and ends the client's logins of the user. Rejects with AccountError if
 * there is no such user or consent.
 */
export async function revokeConsent(db: Db, email: string, clientId: string): Promise<void> {
  await transact(db, async transaction => {
    const { id: userId } = await requireUser(transaction, email)
    if (!(await rows.deleteConsent(transaction, { userId, clientId })))
      throw accountMissing(`consent of user ${email} to client ${clientId}`)
    await revokeFamiliesOfUser(transaction, userId, clientId)
  })
}
