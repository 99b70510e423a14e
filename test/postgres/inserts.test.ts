// Runs on PostgreSQL only.
import { sql } from 'kysely'
import { t } from 'tap'
import { transact } from '../../db/transaction.ts'
import { generateLoadTemplates } from '../../seeds/load.ts'
import { batches } from '../../seeds/seed.ts'
import { insertProductTemplates } from '../support/database/insert.ts'
import { database } from '../support/service/service.ts'

t.test('an insert reads no rows of those before it, however many there are', async t => {
  const db = await database(t)
  const { rows } = await transact(db, async transaction => {
    for (const batch of batches(generateLoadTemplates(1000))) await insertProductTemplates(transaction, batch)
    return sql<{
      read: number
    }>`select coalesce(sum(seq_tup_read), 0)::integer as read from pg_stat_xact_user_tables
      where relname in ('product_template', 'product_revision')`.execute(transaction)
  })
  t.same(rows, [{ read: 0 }])
})
