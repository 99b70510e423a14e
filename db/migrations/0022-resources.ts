import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds the resource of a login, RFC 8707. */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`alter table product_authorization_code add column resource ${text}`.execute(db)
  await sql`alter table product_token_family add column resource ${text}`.execute(db)
}
