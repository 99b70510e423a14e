import { columnsOf, type MigratedDb } from './columns.ts'

/** The grant that a login began with, and the scope `profile` for the explorer, which shows the user's name. */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await db.schema.alterTable('product_token_family').addColumn('grant_type', text).execute()
  await db
    .updateTable('product_client')
    .set({ scope: 'read write profile' })
    .where('id', '=', 'explorer')
    .where('is_public', '=', 1)
    .where('first_party', '=', 1)
    .where('scope', '=', 'read write')
    .execute()
}
