import type { Db, Row } from '../../schema.ts'
import { secondsFromNow, timestamp } from '../../timestamp.ts'

/** Seconds in which the browser must come back from the provider. */
const loginLifetime = 600

/** A login that ends when the browser comes back from the provider. */
type ProviderLogin = Omit<Row<'product_provider_login'>, 'time_expires'>

export async function insertProviderLogin(db: Db, login: ProviderLogin): Promise<void> {
  await db
    .insertInto('product_provider_login')
    .values({ ...login, time_expires: secondsFromNow(loginLifetime) })
    .execute()
}

/** Deletes a login and returns it, so that a response of a provider is used only once. */
export const takeProviderLogin = (db: Db, hash: string): Promise<ProviderLogin | undefined> =>
  db
    .deleteFrom('product_provider_login')
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .returningAll()
    .executeTakeFirst()
