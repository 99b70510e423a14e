import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../columns.ts'
import { accessUpdates, list, revisionColumns } from './raising-columns.ts'

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
  const trigger = (name: string, event: string, version: string, condition = '', when = 'after') =>
    sql
      .raw(`create trigger ${name} ${when} ${event} ${condition}
        begin update product_version set value = hex(randomblob(16)) where name = '${version}'; end`)
      .execute(db)
  for (const event of ['insert', 'update', 'delete'])
    await trigger(`product_version_template_${event}`, `${event} on product_template`, 'templates')
  const rewritten = `when ${list('old', revisionColumns)} is not ${list('new', revisionColumns)}`
  await trigger('product_version_revision_update', 'update on product_revision', 'templates', rewritten)
  await trigger('product_version_revision_delete', 'delete on product_revision', 'templates')
  await trigger('product_version_past_update', 'update on product_template_past', 'templates')
  await trigger('product_version_past_delete', 'delete on product_template_past', 'templates')
  await trigger('product_version_index', 'update on product_template_index', 'templates')
  await trigger('product_version_revocation', 'insert on product_revoked_token', 'access')
  for (const [table, columns] of Object.entries(accessUpdates)) {
    const changed = `when ${list('old', columns)} is not ${list('new', columns)}`
    await trigger(`product_version_${table}_update`, `update on ${table}`, 'access', changed)
    await trigger(`product_version_${table}_delete`, `delete on ${table}`, 'access')
    // "insert or replace" deletes without triggers.
    const same = table === 'product_user' ? 'id = new.id or email = new.email' : 'id = new.id'
    const replaces = `when exists (select 1 from ${table} where ${same})`
    await trigger(`product_version_${table}_replace`, `insert on ${table}`, 'access', replaces, 'before')
  }
}
