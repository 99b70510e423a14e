import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../../db/migrations/columns.ts'

/** Creates the identities of users, and the logins that wait for a provider. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_identity (
    issuer ${text} not null,
    subject ${text} not null,
    user_id ${text} not null references product_user (id) on delete cascade,
    time_created ${timestamp} not null,
    primary key (issuer, subject)
  )`.execute(db)
  await sql`create index product_identity_user on product_identity (user_id)`.execute(db)
  await sql`create table product_provider_login (
    hash ${text} primary key,
    provider ${text} not null,
    nonce ${text} not null,
    verifier ${text} not null,
    request ${text} not null,
    time_expires ${timestamp} not null
  )`.execute(db)
}
