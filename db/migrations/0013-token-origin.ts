import { sql } from 'kysely'
import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'

/**
 * Adds the epoch of a client, which distinguishes it from an earlier client with the same id, and the grant type of a login.
 * The explorer gets the scope `profile`, because its page shows the name of the user.
 */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`alter table product_token_family add column grant_type ${text}`.execute(db)
  await sql`alter table product_client add column token_epoch integer not null default 0`.execute(db)
  await (isPostgres(db) ? raiseOnPostgres(db) : raiseOnSqlite(db))
  await sql`update product_client set scope = 'read write profile'
    where id = 'explorer' and is_public = 1 and first_party = 1 and scope = 'read write'`.execute(db)
}

/** Replaces a trigger of the migration 0009: the new column also raises the version `access`. */
async function raiseOnSqlite(db: MigratedDb): Promise<void> {
  await sql`drop trigger product_version_product_client_update`.execute(db)
  await sql`create trigger product_version_product_client_update after update on product_client
    when (old.id, old.time_disabled, old.token_epoch) is not (new.id, new.time_disabled, new.token_epoch)
    begin update product_version set value = hex(randomblob(16)) where name = 'access'; end`.execute(db)
}

async function raiseOnPostgres(db: MigratedDb): Promise<void> {
  await sql`drop trigger product_version_update on product_client`.execute(db)
  await sql`create trigger product_version_update after update on product_client for each row
    when ((old.id, old.time_disabled, old.token_epoch) is distinct from (new.id, new.time_disabled, new.token_epoch))
    execute function product_version_raise ('access')`.execute(db)
  await sql`alter table product_client enable always trigger product_version_update`.execute(db)
}
