import { sql } from 'kysely'
import { columnsOf, type MigratedDb, watchUsers } from './columns.ts'

/** Adds the rule on the templates that a user may see and write. */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`alter table product_user add column template_where ${text}`.execute(db)
  await watchUsers(db, ['id', 'email', 'time_disabled', 'token_epoch', 'role', 'template_where'])
}
