import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { indexVersion } from './entries.ts'
import { readIndexState, writeIndexState } from './state.ts'

/**
 * Creates the tables of the index if they are missing or of another version. If there are no templates, the index is
 * then complete. Several processes may do this at once.
 */
export async function prepareIndex(db: Db): Promise<void> {
  if ((await readIndexState(db)).version === indexVersion) return
  const engine = engineOf(db)
  await transact(db, async transaction => {
    await engine.lockMigrations(transaction)
    if ((await readIndexState(transaction)).version === indexVersion) return
    await engine.index.create(transaction)
    await transaction.deleteFrom('product_template_pending').execute()
    const stored = await transaction.selectFrom('product_template').select('id').limit(1).executeTakeFirst()
    const state = stored ? { complete: 0 as const, reached: -1 } : { complete: 1 as const, reached: null }
    await writeIndexState(transaction, { version: indexVersion, ...state })
  })
}
