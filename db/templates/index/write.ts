import { setImmediate } from 'node:timers/promises'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import { nameColumns } from '../name-columns.ts'
import { toIndexEntry } from './entries.ts'

/** Templates indexed per turn of the event loop, about 10 ms on SQLite. */
const batchSize = 25

/** Inserts rows and indexes them; `db` is a transaction. */
export async function insertIndexed(db: Db, rows: ProductTemplateTable[]): Promise<void> {
  const { index } = engineOf(db)
  const ids = rows.map(({ id }) => id)
  await index.write(db, ids, async () => {
    await db.insertInto('product_template').values(rows).execute()
    // The index may still have templates with these ids that were deleted by plain SQL.
    await index.remove(db, ids)
    await index.insert(db, rows.map(toIndexEntry))
  })
}

/** Inserts many rows and indexes them. The job is given the function that inserts some; `db` is a transaction. */
export async function loadIndexed(
  db: Db,
  job: (insert: (rows: ProductTemplateTable[]) => Promise<void>) => Promise<void>
): Promise<void> {
  const { index } = engineOf(db)
  await index.load(db, insert =>
    job(rows =>
      index.write(
        db,
        rows.map(({ id }) => id),
        () => insert(rows, rows.map(toIndexEntry))
      )
    )
  )
}

/** Reindexes templates and removes deleted ones from the index; `db` is a transaction. */
export async function indexTemplates(db: Db, ids: number[]): Promise<void> {
  await engineOf(db).index.remove(db, ids)
  await addToIndex(db, ids)
}

/** Indexes templates that are not in the index; `db` is a transaction. */
export async function addToIndex(db: Db, ids: number[]): Promise<void> {
  const { index } = engineOf(db)
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize)
    await index.write(db, batch, async () => {
      const rows = await db
        .selectFrom('product_template')
        .select(['id', 'name', 'name_folded', 'name_key', 'data'])
        .where('id', 'in', batch)
        .execute()
      for (const row of rows) await correctName(db, row)
      await index.insert(db, rows.map(toIndexEntry))
    })
    await setImmediate()
  }
}

async function correctName(
  db: Db,
  {
    id,
    name,
    name_folded,
    name_key
  }: Omit<Parameters<typeof toIndexEntry>[0], 'data'> & ReturnType<typeof nameColumns>
): Promise<void> {
  const right = nameColumns(name)
  if (right.name_folded === name_folded && right.name_key === name_key) return
  await db.updateTable('product_template').set(right).where('id', '=', id).execute()
}
