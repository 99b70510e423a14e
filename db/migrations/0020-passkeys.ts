import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds passkeys and their challenges, and the browser of a session, which older programs do not record. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`alter table product_session add column browser ${text}`.execute(db)
  await sql`create table product_passkey (
    id ${text} primary key,
    user_id ${text} not null references product_user (id) on delete cascade,
    name ${text} not null,
    public_key ${text} not null,
    counter bigint not null,
    time_created ${timestamp} not null,
    time_used ${timestamp}
  )`.execute(db)
  await sql`create index product_passkey_user on product_passkey (user_id)`.execute(db)
  await sql`create table product_passkey_challenge (
    hash ${text} primary key,
    time_expires ${timestamp} not null
  )`.execute(db)
}
