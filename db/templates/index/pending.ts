import { setImmediate, setTimeout } from 'node:timers/promises'
import { engineOf } from '../../dialects/engine.ts'
import { IndexNotReady } from '../../dialects/faults.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { isReadable, readIndexState } from './state.ts'
import { indexTemplates } from './write.ts'

/** Pending templates that a query waits for. */
const maxPending = 1000
/** Templates of one transaction: other writers wait for no more. */
const batchSize = 100
/** Milliseconds before it is looked again whether another process is done, and how often that is done. */
const pause = 20
const maxPauses = 50

/**
 * Resolves when the index has every template. Templates that others wrote by plain SQL are indexed first, if they
 * are few. Rejects with {@link IndexNotReady} while there are many of them, or a rebuild goes on. `db` is no
 * transaction.
 */
export async function ensureIndexed(db: Db, signal?: AbortSignal): Promise<void> {
  for (let pauses = 0; pauses < maxPauses; ) {
    const state = await readIndexState(db)
    if (!isReadable(state)) throw new IndexNotReady('the index of templates is being built')
    if (state.pending === 0) return
    if (state.pending > maxPending)
      throw new IndexNotReady('many templates were written and are being indexed')
    signal?.throwIfAborted()
    if (await indexPending(db)) continue
    pauses++
    await setTimeout(pause, undefined, { signal })
  }
  throw new IndexNotReady('another process is indexing templates')
}

/** Indexes some of the pending templates; false where another process is doing so. */
export async function indexPending(db: Db): Promise<boolean> {
  const locked = await transact(db, async transaction => {
    const { index } = engineOf(transaction)
    if (!(await index.lock(transaction))) return false
    await indexTemplates(transaction, await index.takePending(transaction, batchSize))
    return true
  })
  await setImmediate()
  return locked
}
