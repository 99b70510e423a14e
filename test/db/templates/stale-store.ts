/** Stores whose templates are not in the index. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import type { AnyDb } from '../../../db/schema.ts'
import { toRow } from '../../../db/templates/writing/apply.ts'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { openDatabase } from '../../../features/database.ts'
import { batches } from '../../../seeds/seed.ts'
import { migratedUrl } from '../../support/database/database.ts'

/** Returns the URL of a store with these templates, and with an index of another version, which has other tables. */
export async function staleStore(t: Test, templates: ProductTemplate[]): Promise<string> {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await db.transaction().execute(async transaction => {
    for (const batch of batches(templates)) await insertPlain(transaction, ...batch)
    await transaction.updateTable('product_template').set({ name_folded: 'old', name_key: 'old' }).execute()
    await sql`drop table product_trait`.execute(transaction)
    await sql`create table product_trait (type text)`.execute(transaction)
    await transaction.updateTable('product_template_index').set({ version: 1 }).execute()
  })
  await db.destroy()
  return url
}

/** Writes templates in one statement, as somebody does who knows the nine columns alone. */
export async function insertPlain(db: AnyDb, ...templates: ProductTemplate[]): Promise<void> {
  await db.insertInto('product_template').values(templates.map(toRow)).execute()
}
