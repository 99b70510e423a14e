import { randomUUID } from 'node:crypto'
import { secondsFromNow, timestamp } from '../../domain/timestamp.ts'
import { affectsRows } from '../affects-rows.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Database, Db, Transaction } from '../schema.ts'

/** A stored refresh token and its family. */
export type RefreshToken = NonNullable<Awaited<ReturnType<typeof findRefreshToken>>>

/** A login of a client: user, client, scopes and expiry. */
export type TokenFamily = RefreshToken['family']

/** A family to insert; `expiresIn` is its lifetime in seconds. */
type NewFamily = Pick<TokenFamily, 'clientId' | 'userId' | 'grantType' | 'scopes' | 'resource'> & {
  expiresIn: number
}

/** Inserts a family with the hash of its first token, and returns its id. */
export async function insertFamily(
  transaction: Transaction,
  family: NewFamily,
  hash: string
): Promise<string> {
  const id = randomUUID()
  await prepared(transaction)
    .insertInto('product_token_family')
    .values({
      id,
      client_id: family.clientId,
      user_id: family.userId,
      grant_type: family.grantType,
      scope: family.scopes.join(' '),
      resource: family.resource,
      time_created: timestamp(),
      time_expires: secondsFromNow(family.expiresIn)
    })
    .execute()
  await insertToken(transaction, { hash, family_id: id, generation: 0 })
  return id
}

export async function findRefreshToken(db: Db, hash: string) {
  const row = await prepared(db)
    .selectFrom('product_refresh_token as token')
    .innerJoin('product_token_family as family', 'family.id', 'token.family_id')
    .where('token.hash', '=', hash)
    .select(['token.generation', 'token.time_used as timeUsed', 'family.id', 'family.client_id as clientId'])
    .select(['family.user_id as userId', 'family.grant_type as grantType', 'family.scope'])
    .select(['family.time_expires as timeExpires', 'family.time_revoked as timeRevoked', 'family.resource'])
    .select(query =>
      query
        .selectFrom('product_refresh_token as other')
        .whereRef('other.family_id', '=', 'token.family_id')
        .select(({ fn }) => fn.max('other.generation').as('newest'))
        .as('newest')
    )
    .executeTakeFirst()
  if (!row) return undefined
  const { generation, timeUsed, newest, scope, timeRevoked, ...family } = row
  return {
    hash,
    generation,
    timeUsed,
    /** Whether only one token of the family is newer. */
    beforeNewest: generation + 1 === newest,
    family: { ...family, scopes: scope.split(' '), revoked: timeRevoked !== null }
  }
}

/**
 * Replaces a token by a new one. Returns false and does nothing if the token was used before, so only one of several
 * concurrent attempts succeeds.
 */
export async function rotateRefreshToken(
  transaction: Transaction,
  token: RefreshToken,
  nextHash: string
): Promise<boolean> {
  const use = prepared(transaction)
    .updateTable('product_refresh_token')
    .set({ time_used: timestamp() })
    .where('hash', '=', token.hash)
    .where('time_used', 'is', null)
  if (!(await affectsRows(use))) return false
  await insertToken(transaction, {
    hash: nextHash,
    family_id: token.family.id,
    generation: token.generation + 1
  })
  return true
}

async function insertToken(
  transaction: Transaction,
  row: Omit<Database['product_refresh_token'], 'time_used'>
): Promise<void> {
  await prepared(transaction).insertInto('product_refresh_token').values(row).execute()
}

/** Families that the account page shows. */
const maxListed = 100

/** Lists the families of a user that have not ended, newest first. */
export const listFamilies = (db: Db, userId: string) =>
  db
    .selectFrom('product_token_family as family')
    .innerJoin('product_client as client', 'client.id', 'family.client_id')
    .select(['family.id', 'client_id as clientId', 'display_name as clientName'])
    .select('family.time_created as timeCreated')
    .where('user_id', '=', userId)
    .where('time_revoked', 'is', null)
    .where('time_expires', '>', timestamp())
    .orderBy('family.time_created', 'desc')
    .limit(maxListed)
    .execute()

/** Revokes a family, all families of a user, or all of a user and a client. Returns whether any was not revoked. */
export const revokeFamilies = (
  db: Db,
  which: { id: string; user_id?: string } | { user_id: string; client_id?: string }
): Promise<boolean> =>
  affectsRows(
    db
      .updateTable('product_token_family')
      .set({ time_revoked: timestamp() })
      .where(({ and }) => and(which))
      .where('time_revoked', 'is', null)
  )
