import { sql } from 'kysely'
import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'

/** Which templates a user may see and write. */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`alter table product_user add column template_where ${text}`.execute(db)
  await (isPostgres(db) ? raiseOnPostgres(db) : raiseOnSqlite(db))
}

const columns = (row: 'old' | 'new') =>
  sql.raw(
    `(${row}.id, ${row}.email, ${row}.time_disabled, ${row}.token_epoch, ${row}.role, ${row}.template_where)`
  )

/** The triggers of the migration 0009 that raise the version `access`, with the new column. */
async function raiseOnSqlite(db: MigratedDb): Promise<void> {
  await sql`drop trigger product_version_product_user_update`.execute(db)
  await sql`create trigger product_version_product_user_update after update on product_user
    when ${columns('old')} is not ${columns('new')}
    begin update product_version set value = hex(randomblob(16)) where name = 'access'; end`.execute(db)
}

async function raiseOnPostgres(db: MigratedDb): Promise<void> {
  await sql`drop trigger product_version_update on product_user`.execute(db)
  await sql`create trigger product_version_update after update on product_user for each row
    when (${columns('old')} is distinct from ${columns('new')})
    execute function product_version_raise ('access')`.execute(db)
  await sql`alter table product_user enable always trigger product_version_update`.execute(db)
}
