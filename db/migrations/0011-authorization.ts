import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds public clients and their redirect URIs, sessions of the login page, consents, and authorization codes. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  for (const name of ['is_public', 'first_party'].map(column => sql.ref(column)))
    await sql`alter table product_client
      add column ${name} integer not null default 0 check (${name} in (0, 1))`.execute(db)
  await sql`alter table product_client add column redirect_uris ${text} not null default ''`.execute(db)
  await sql`alter table product_client add column display_name ${text} not null default ''`.execute(db)
  await sql`create table product_session (
    hash ${text} primary key,
    user_id ${text} not null references product_user (id) on delete cascade,
    token_epoch integer not null,
    time_created ${timestamp} not null,
    time_used ${timestamp} not null
  )`.execute(db)
  await sql`create table product_consent (
    user_id ${text} not null references product_user (id) on delete cascade,
    client_id ${text} not null references product_client (id) on delete cascade,
    scope ${text} not null,
    time_created ${timestamp} not null,
    constraint product_consent_key primary key (user_id, client_id)
  )`.execute(db)
  await sql`create table product_authorization_code (
    hash ${text} primary key,
    client_id ${text} not null references product_client (id) on delete cascade,
    user_id ${text} not null references product_user (id) on delete cascade,
    token_epoch integer not null,
    redirect_uri ${text} not null,
    challenge ${text} not null,
    scope ${text} not null,
    time_expires ${timestamp} not null,
    time_used ${timestamp},
    family_id ${text}
  )`.execute(db)
  for (const [table, column] of [
    ['product_session', 'user_id'],
    ['product_session', 'time_created'],
    ['product_authorization_code', 'time_expires']
  ])
    await sql.raw(`create index ${table}_by_${column} on ${table} (${column})`).execute(db)
}
