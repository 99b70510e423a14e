import { columns } from './0007-revisions.ts'
import { isPostgres, type MigratedDb } from './columns.ts'
import { recordChanges } from './triggers/record-changes.ts'

/** On PostgreSQL, an update of templates runs two statements in the trigger that records it, not seven. */
export async function up(db: MigratedDb): Promise<void> {
  if (isPostgres(db)) await recordChanges(db, columns)
}
