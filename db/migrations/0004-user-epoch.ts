import { sql } from 'kysely'
import type { MigratedDb } from './columns.ts'

/** Adds the epoch that ends all tokens of a user at once, and the longest lifetime of the tokens of a key. */
export async function up(db: MigratedDb): Promise<void> {
  await sql`alter table product_user add column token_epoch integer not null default 0`.execute(db)
  await sql`alter table product_signing_key add column access_token_ttl integer`.execute(db)
}
