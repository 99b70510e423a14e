import { sql } from 'kysely'
import type { MigratedDb } from './columns.ts'

/**
 * Records the first revision of templates that are older than the migration 0007, whose triggers have recorded all others.
 * One statement takes about a second for 500,000 templates. The hashes are computed later, in the background.
 */
export async function up(db: MigratedDb): Promise<void> {
  const store = await db.selectFrom('product_store').select('recorded_up_to').executeTakeFirstOrThrow()
  if (store.recorded_up_to === null) return
  const time = new Date().toISOString().replace('Z', '000Z')
  await sql`insert into product_revision (template_id, number, action, time_recorded)
    select id, revision, 'CREATE', ${time} from product_template where true order by id
    on conflict (template_id, number) do nothing`.execute(db)
  await db.updateTable('product_store').set({ recorded_up_to: null }).execute()
}
