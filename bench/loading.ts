import { sql } from 'kysely'
import { engineOf } from '../db/dialects/engine.ts'
import type { Db, ProductTemplateTable } from '../db/schema.ts'
import { toRow } from '../db/templates/writing/apply.ts'
import { transact } from '../db/transaction.ts'
import type { ProductTemplate } from '../domain/columns.ts'
import { openDatabase } from '../features/database.ts'
import { generateLoadTemplates } from '../seeds/load.ts'
import { batches, seedLoad } from '../seeds/seed.ts'
import { bulkTimeout } from '../terminal/store.ts'

/** The costs of loading templates into a database. */
export interface Load {
  seconds: number
  /** Bytes by table, including indexes. */
  tables: Map<string, number>
}

const cost = { passwordMemory: 7168 }

/** Loads templates as `seed --load` does. */
export async function loadIndexed(url: string, count: number): Promise<Load> {
  return measure(url, db => seedLoad(db, cost, count, () => {}))
}

/**
 * Loads only the templates' rows with the indexes of their orders, as the baseline for the cost of the search index.
 */
export async function loadBare(url: string, count: number): Promise<Load> {
  return measure(url, async db => {
    await dropTriggers(db)
    await transact(db, async transaction => {
      for (const batch of batches(generateLoadTemplates(count)))
        await transaction.insertInto('product_template').values(batch.map(toBareRow)).execute()
    })
  })
}

async function measure(url: string, load: (db: Db) => Promise<unknown>): Promise<Load> {
  const db = await openDatabase(url, bulkTimeout)
  try {
    const begin = performance.now()
    await load(db)
    const seconds = (performance.now() - begin) / 1000
    return { seconds, tables: await measureTables(db) }
  } finally {
    await db.destroy()
  }
}

/** Drops the triggers that mark inserted rows for the index. */
async function dropTriggers(db: Db): Promise<void> {
  if (engineOf(db).name === 'postgres') {
    await sql`alter table product_template disable trigger user`.execute(db)
    return
  }
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'trigger' and tbl_name = 'product_template'`.execute(db)
  for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(db)
}

/** Converts a template to a row with the columns that order by name. */
function toBareRow(template: ProductTemplate): ProductTemplateTable {
  const name = template.name.toLowerCase()
  return { ...toRow(template), name_folded: name, name_key: name }
}

async function measureTables(db: Db): Promise<Map<string, number>> {
  const { rows } =
    engineOf(db).name === 'postgres'
      ? await sql<{ name: string; bytes: number }>`
          select relname as name, pg_total_relation_size(oid)::bigint as bytes from pg_class
          where relkind = 'r' and relname like 'product\_%'`.execute(db)
      : await sql<{ name: string; bytes: number }>`
          select coalesce(tbl_name, name) as name, sum(pgsize) as bytes
          from dbstat left join sqlite_schema using (name) group by 1`.execute(db)
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}
