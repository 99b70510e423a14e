import type { AnyDb } from '../schema.ts'

/** What ends all tokens of a user at once. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .alterTable('product_user')
    .addColumn('token_epoch', 'integer', column => column.notNull().defaultTo(0))
    .execute()
}
