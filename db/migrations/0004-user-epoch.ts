import type { MigratedDb } from './columns.ts'

/** The epoch that ends all tokens of a user at once, and the longest token lifetime of a key. */
export async function up(db: MigratedDb): Promise<void> {
  await db.schema
    .alterTable('product_user')
    .addColumn('token_epoch', 'integer', column => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('product_signing_key').addColumn('access_token_ttl', 'integer').execute()
}
