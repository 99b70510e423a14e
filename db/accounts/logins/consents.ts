import { timestamp } from '../../../domain/timestamp.ts'
import { affectsRows } from '../../affects-rows.ts'
import type { Db, Transaction } from '../../schema.ts'

interface Parties {
  userId: string
  clientId: string
}

/** Returns the scopes that a user allows a client. */
export async function findConsent(db: Db, { userId, clientId }: Parties): Promise<string[]> {
  const row = await db
    .selectFrom('product_consent')
    .select('scope')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row?.scope.split(' ') ?? []
}

/** Adds scopes to those that a user allows a client. */
export async function addConsent(
  transaction: Transaction,
  { userId, clientId }: Parties,
  scopes: string[]
): Promise<void> {
  const before = await findConsent(transaction, { userId, clientId })
  const scope = [...new Set([...before, ...scopes])].join(' ')
  await transaction
    .insertInto('product_consent')
    .values({ user_id: userId, client_id: clientId, scope, time_created: timestamp() })
    .onConflict(conflict => conflict.columns(['user_id', 'client_id']).doUpdateSet({ scope }))
    .execute()
}

/** Lists the clients that have a consent of a user, with the scopes. */
export async function listConsents(db: Db, userId: string) {
  const rows = await db
    .selectFrom('product_consent')
    .select(['client_id as clientId', 'scope'])
    .where('user_id', '=', userId)
    .orderBy('client_id')
    .execute()
  return rows.map(({ clientId, scope }) => ({ clientId, scopes: scope.split(' ') }))
}

/** Deletes a consent. Returns false if there is none. */
export const deleteConsent = (db: Db, { userId, clientId }: Parties): Promise<boolean> =>
  affectsRows(
    db.deleteFrom('product_consent').where('user_id', '=', userId).where('client_id', '=', clientId)
  )
