import { sql } from 'kysely'
import { accessUpdates, list } from './0009-columns.ts'
import { columnsOf, type MigratedDb } from './columns.ts'

/** One row for each version. */
export async function raiseOnSqlite(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await db.schema
    .createTable('product_version')
    .addColumn('name', text, column => column.primaryKey())
    .addColumn('value', text, column => column.notNull())
    .execute()
  await sql`insert into product_version (name, value)
    values ('access', hex(randomblob(16))), ('templates', hex(randomblob(16)))`.execute(db)
  const trigger = (name: string, event: string, version: string, condition = '') =>
    sql
      .raw(`create trigger ${name} after ${event} ${condition}
        begin update product_version set value = hex(randomblob(16)) where name = '${version}'; end`)
      .execute(db)
  for (const event of ['insert', 'update', 'delete'])
    await trigger(`product_version_template_${event}`, `${event} on product_template`, 'templates')
  await trigger('product_version_revocation', 'insert on product_revoked_token', 'access')
  for (const [table, columns] of Object.entries(accessUpdates)) {
    const changed = `when ${list('old', columns)} is not ${list('new', columns)}`
    await trigger(`product_version_${table}_update`, `update on ${table}`, 'access', changed)
    await trigger(`product_version_${table}_delete`, `delete on ${table}`, 'access')
  }
}
