import type { Db } from '../../schema.ts'
import { secondsAgo, timestamp } from '../../timestamp.ts'

/** Seconds that somebody has to log in at a provider. */
const patience = 600

/** A login that has begun and is to end when the browser comes back from a provider. */
export interface BegunLogin {
  /** Id of the provider. */
  provider: string
  nonce: string
  verifier: string
  /** The query of the authorization request that the login is for. */
  request: string
}

/** `hash` is of the state and the browser's cookie. */
export async function insertProviderLogin(db: Db, hash: string, login: BegunLogin): Promise<void> {
  await db
    .insertInto('product_provider_login')
    .values({ ...login, hash, time_expires: secondsAgo(-patience) })
    .execute()
}

/** Finds a login and deletes it, so that a response of a provider works once. */
export async function takeProviderLogin(db: Db, hash: string): Promise<BegunLogin | undefined> {
  return db
    .deleteFrom('product_provider_login')
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .returning(['provider', 'nonce', 'verifier', 'request'])
    .executeTakeFirst()
}
