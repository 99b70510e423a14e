import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds refresh tokens and their families, revoked tokens, the right to introspect, and the rotation of keys. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_token_family (
    id ${text} primary key,
    client_id ${text} not null references product_client (id) on delete cascade,
    user_id ${text} not null references product_user (id) on delete cascade,
    scope ${text} not null,
    time_created ${timestamp} not null,
    time_expires ${timestamp} not null,
    time_revoked ${timestamp}
  )`.execute(db)
  await sql`create index product_token_family_user on product_token_family (user_id)`.execute(db)
  await sql`create table product_refresh_token (
    hash ${text} primary key,
    family_id ${text} not null references product_token_family (id) on delete cascade,
    generation integer not null,
    time_used ${timestamp},
    constraint product_refresh_token_turn unique (family_id, generation)
  )`.execute(db)
  await sql`create table product_revoked_token (
    jti ${text} primary key,
    time_expires ${timestamp} not null
  )`.execute(db)
  await sql`alter table product_client
    add column may_introspect integer not null default 0 check (may_introspect in (0, 1))`.execute(db)
  await sql`alter table product_signing_key add column time_activated ${timestamp}`.execute(db)
  await sql`alter table product_signing_key add column time_retired ${timestamp}`.execute(db)
  // The only key of a store until now has signed since its creation.
  await sql`update product_signing_key set time_activated = time_created`.execute(db)
}
