import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../../db/migrations/columns.ts'

/** Creates the passkeys of users, and the challenges that none has signed yet. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
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
