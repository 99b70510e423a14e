import { sql } from 'kysely'
import type { Db } from '../../schema.ts'

/** Creates `product_trait`, or a temporary table with the same columns and key. */
export async function createTraitTable(db: Db, name: string): Promise<void> {
  await sql`create table ${sql.table(name)} (
    type_id integer not null, hash integer not null, template_id integer not null, key text not null,
    primary key (type_id, hash, template_id)
  ) without rowid`.execute(db)
}
