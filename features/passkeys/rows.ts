/** The rows of passkeys. */
import { affectsRows } from '../../db/affects-rows.ts'
import type { Db } from '../../db/schema.ts'
import { secondsFromNow, timestamp } from '../../domain/timestamp.ts'

type PasskeyTables = {
  /** Passkeys of users: public keys of WebAuthn. */
  product_passkey: {
    /** The id of the credential, base64url. */
    id: string
    user_id: string
    /** What the user calls it. */
    name: string
    /** COSE, RFC 9052 §7, base64url. */
    public_key: string
    /** Number of signatures that the authenticator has counted; 0: it does not count. */
    counter: number
    time_created: string
    /** The last login; null: none. */
    time_used: string | null
  }
  /** Challenges that no passkey has signed yet. */
  product_passkey_challenge: {
    /** SHA-256 of the challenge, its purpose and the browser's cookie, hex. */
    hash: string
    time_expires: string
  }
}

/** The database with the tables of passkeys. */
export const withPasskeys = (db: Db) => db.withTables<PasskeyTables>()

/** A stored passkey and its user. */
type StoredPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

/** Stores a passkey. Returns false and does nothing if it is stored already. */
export const insertPasskey = (
  db: Db,
  { id, userId, name, publicKey, counter }: StoredPasskey & { name: string }
): Promise<boolean> =>
  affectsRows(
    withPasskeys(db)
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
  withPasskeys(db)
    .selectFrom('product_passkey')
    .select(['id', 'user_id as userId', 'public_key as publicKey', 'counter'])
    .where('id', '=', id)
    .executeTakeFirst()

/** Lists the passkeys of a user, oldest first. */
export const listPasskeys = (db: Db, userId: string) =>
  withPasskeys(db)
    .selectFrom('product_passkey')
    .select(['id', 'name', 'time_created as timeCreated', 'time_used as timeUsed'])
    .where('user_id', '=', userId)
    .orderBy('time_created')
    .execute()

/**
 * Records a login. Returns false if the passkey was deleted meanwhile, or if its counter has not increased. An
 * authenticator that does not count always sends 0.
 */
export const recordPasskeyUse = (db: Db, id: string, counter: number): Promise<boolean> =>
  affectsRows(
    withPasskeys(db)
      .updateTable('product_passkey')
      .set({ counter, time_used: timestamp() })
      .where('id', '=', id)
      .where('counter', counter === 0 ? '=' : '<', counter)
  )

/** Deletes a passkey. Returns false if the user has no such passkey. */
export const deletePasskey = (db: Db, userId: string, id: string): Promise<boolean> =>
  affectsRows(
    withPasskeys(db).deleteFrom('product_passkey').where('user_id', '=', userId).where('id', '=', id)
  )

/** Seconds for which a challenge is valid. */
const challengeLifetime = 300

export async function insertChallenge(db: Db, hash: string): Promise<void> {
  const values = { hash, time_expires: secondsFromNow(challengeLifetime) }
  await withPasskeys(db).insertInto('product_passkey_challenge').values(values).execute()
}

/** Deletes a challenge, so that it is used only once. Returns false if there is none, or if it has expired. */
export const takeChallenge = (db: Db, hash: string): Promise<boolean> =>
  affectsRows(
    withPasskeys(db)
      .deleteFrom('product_passkey_challenge')
      .where('hash', '=', hash)
      .where('time_expires', '>', timestamp())
  )
