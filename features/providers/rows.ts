/** The rows of identities, and of logins that wait for a provider. */
import type { Db, Transaction } from '../../db/schema.ts'
import { secondsFromNow, timestamp } from '../../domain/timestamp.ts'

type ProviderTables = {
  /** The accounts of users at OpenID providers. */
  product_identity: {
    /** `iss` and `sub` of the ID token. */
    issuer: string
    subject: string
    user_id: string
    time_created: string
  }
  /** Unfinished logins at OpenID providers. */
  product_provider_login: StartedLogin & { time_expires: string }
}

/** A login that waits for the response of its provider. */
interface StartedLogin {
  /** SHA-256 of the `state` and the browser's cookie, hex. */
  hash: string
  /** Id of the provider. */
  provider: string
  nonce: string
  /** The PKCE verifier, RFC 7636 §4.1. */
  verifier: string
  /** The query of the authorization request. */
  request: string
}

/** The database with the tables of providers. */
export const withProviders = (db: Db) => db.withTables<ProviderTables>()

/** An account at an OpenID provider, OpenID Connect Core 1.0 §5.7. */
export type Identity = Pick<ProviderTables['product_identity'], 'issuer' | 'subject'>

/** Finds the id of the user who logs in with an identity. */
export async function findUserOfIdentity(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await withProviders(db)
    .selectFrom('product_identity')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/**
 * Lets a user log in with an identity, and no other user any more. On PostgreSQL, the transaction runs again if another
 * one has stored the identity meanwhile.
 */
export async function linkIdentity(
  transaction: Transaction,
  userId: string,
  identity: Identity
): Promise<void> {
  const link = { user_id: userId, time_created: timestamp() }
  await withProviders(transaction)
    .insertInto('product_identity')
    .values({ ...identity, ...link })
    .onConflict(conflict => conflict.columns(['issuer', 'subject']).doUpdateSet(link))
    .execute()
}

export async function unlinkIdentity(db: Db, { issuer, subject }: Identity): Promise<void> {
  await withProviders(db)
    .deleteFrom('product_identity')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** Lists the identities that users log in with, with the ids of the users. */
export const listIdentities = (db: Db, userIds: string[]) =>
  withProviders(db)
    .selectFrom('product_identity')
    .select(['user_id as userId', 'issuer', 'subject'])
    .where('user_id', 'in', userIds)
    .orderBy('issuer')
    .orderBy('subject')
    .execute()

/** Seconds in which the browser must come back from the provider. */
const loginLifetime = 600

export async function insertLogin(db: Db, login: StartedLogin): Promise<void> {
  const values = { ...login, time_expires: secondsFromNow(loginLifetime) }
  await withProviders(db).insertInto('product_provider_login').values(values).execute()
}

/** Deletes a login and returns it, so that it is used only once; undefined if there is none, or if it has expired. */
export const takeLogin = (db: Db, hash: string): Promise<StartedLogin | undefined> =>
  withProviders(db)
    .deleteFrom('product_provider_login')
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .returningAll()
    .executeTakeFirst()
