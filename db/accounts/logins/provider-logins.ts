import type { Db } from '../../schema.ts'
import { secondsFromNow, timestamp } from '../../timestamp.ts'

/** Seconds in which the browser must come back from the provider. */
const loginLifetime = 600

/** A login that ends when the browser comes back from the provider. */
export interface ProviderLogin {
  /** Id of the provider. */
  provider: string
  nonce: string
  verifier: string
  /** The query of the authorization request that began the login. */
  request: string
}

/** Stores a login; `hash` is made of the `state` and the browser's cookie. */
export async function insertProviderLogin(db: Db, hash: string, login: ProviderLogin): Promise<void> {
  await db
    .insertInto('product_provider_login')
    .values({ ...login, hash, time_expires: secondsFromNow(loginLifetime) })
    .execute()
}

/** Deletes a login and returns it, so that a response of a provider is used only once. */
export async function takeProviderLogin(db: Db, hash: string): Promise<ProviderLogin | undefined> {
  return db
    .deleteFrom('product_provider_login')
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .returning(['provider', 'nonce', 'verifier', 'request'])
    .executeTakeFirst()
}
