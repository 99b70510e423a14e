import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { type ProductTemplate, toRow, type UnindexedRow } from '../table/product-templates.ts'
import { readIndexState } from './state.ts'
import { toIndexEntry, withNames } from './write.ts'

/** Inserts many templates: the job is given the function that inserts some of them. `db` is a transaction. */
export const loadProductTemplates = (
  db: Db,
  job: (insert: (templates: ProductTemplate[]) => Promise<void>) => Promise<void>
): Promise<void> => loadRows(db, insert => job(templates => insert(templates.map(toRow))))

/** Like {@link loadProductTemplates}, for rows of another database. */
export async function loadRows(
  db: Db,
  job: (insert: (rows: UnindexedRow[]) => Promise<void>) => Promise<void>
): Promise<void> {
  const { index } = engineOf(db)
  const { pending } = await readIndexState(db)
  await index.load(db, insert =>
    job(rows => {
      const ids = rows.map(({ id }) => id)
      return index.write(db, ids, async () => {
        // What plain SQL has deleted may still be in the index.
        if (pending > 0) await index.remove(db, ids)
        await insert(rows.map(withNames), rows.map(toIndexEntry))
      })
    })
  )
}
