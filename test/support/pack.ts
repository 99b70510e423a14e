import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const root = join(import.meta.dirname, '../..')
/** Milliseconds to wait for another test. */
const maxWait = 600_000

/** Packs the checkout while no other test does: `npm pack` deletes `dist` and builds it anew. */
export async function packAlone<Result>(pack: () => Promise<Result>): Promise<Result> {
  const lock = new DatabaseSync(join(root, 'node_modules/.cache/pack-lock.db'), { timeout: maxWait })
  lock.exec('BEGIN EXCLUSIVE')
  try {
    return await pack()
  } finally {
    lock.close()
  }
}
