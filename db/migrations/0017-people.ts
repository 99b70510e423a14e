import { sql } from 'kysely'
import { columnsOf, type MigratedDb, watchUsers } from './columns.ts'

/**
 * Adds the roles of users, the names of authors who are not users, accounts and unfinished logins at OpenID providers, values
 * of an authorization request for the ID token, and links for setting a password. Until now, every user had the rights of a
 * publisher.
 */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`alter table product_user add column role ${text} not null default 'publisher'`.execute(db)
  await sql`alter table product_revision add column author_name ${text}`.execute(db)
  await sql`alter table product_authorization_code add column nonce ${text}`.execute(db)
  await sql`alter table product_authorization_code add column time_authenticated ${timestamp}`.execute(db)
  await sql`create table product_identity (
    issuer ${text} not null,
    subject ${text} not null,
    user_id ${text} not null references product_user (id) on delete cascade,
    time_created ${timestamp} not null,
    primary key (issuer, subject)
  )`.execute(db)
  await sql`create index product_identity_user on product_identity (user_id)`.execute(db)
  await sql`create table product_password_link (
    hash ${text} primary key,
    user_id ${text} not null references product_user (id) on delete cascade,
    token_epoch integer not null,
    time_expires ${timestamp} not null
  )`.execute(db)
  await sql`create table product_provider_login (
    hash ${text} primary key,
    provider ${text} not null,
    nonce ${text} not null,
    verifier ${text} not null,
    request ${text} not null,
    time_expires ${timestamp} not null
  )`.execute(db)
  await watchUsers(db, ['id', 'email', 'time_disabled', 'token_epoch', 'role'])
}
