/** The rows of passkeys. */
import { affectsRows } from '../../db/affects-rows.ts'
import type { Db } from '../../db/schema.ts'
import { timestamp } from '../../domain/timestamp.ts'

/** A stored passkey and its user. */
type StoredPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

/** Stores a passkey. Returns false and does nothing if it is stored already. */
export const insertPasskey = (
  db: Db,
  { id, userId, name, publicKey, counter }: StoredPasskey & { name: string }
): Promise<boolean> =>
  affectsRows(
    db
      .insertInto('product_passkey')
      .values({
        id,
        user_id: userId,
        name,
        public_key: publicKey,
        counter,
        time_created: timestamp()
      })
      .onConflict(conflict => conflict.doNothing())
  )

export const findPasskey = (db: Db, id: string) =>
  db
    .selectFrom('product_passkey')
    .select(['id', 'user_id as userId', 'public_key as publicKey', 'counter'])
    .where('id', '=', id)
    .executeTakeFirst()

/** Lists the passkeys of a user, oldest first. */
export const listPasskeys = (db: Db, userId: string) =>
  db
    .selectFrom('product_passkey')
    .select(['id', 'name', 'time_created as timeCreated', 'time_used as timeUsed'])
    .where('user_id', '=', userId)
    .orderBy('time_created')
    .execute()

/**
 * Records a login. Returns false if the passkey was removed meanwhile, or if its counter has not increased. An authenticator
 * that does not count always sends 0.
 */
export const recordPasskeyUse = (db: Db, id: string, counter: number): Promise<boolean> =>
  affectsRows(
    db
      .updateTable('product_passkey')
      .set({ counter, time_used: timestamp() })
      .where('id', '=', id)
      .where('counter', counter === 0 ? '=' : '<', counter)
  )

/** Deletes a passkey. Returns false if the user has no such passkey. */
export const deletePasskey = (db: Db, userId: string, id: string): Promise<boolean> =>
  affectsRows(db.deleteFrom('product_passkey').where('user_id', '=', userId).where('id', '=', id))
