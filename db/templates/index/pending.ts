import { setImmediate, setTimeout } from 'node:timers/promises'
import { engineOf } from '../../dialects/engine.ts'
import { IndexNotReady } from '../../dialects/faults.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { isReadable, maxPending, readIndexState } from './state.ts'
import { lockTemplates, reindexTemplates } from './write.ts'

/** Templates per transaction; bounds the time that other writers wait. */
const batchSize = 100
/** Milliseconds between checks how far another process is, and checks without progress before giving up. */
const pause = 20
const maxPauses = 50

/**
 * Resolves once the index is complete. If only a few templates were written by plain SQL, it indexes them first.
 * Rejects with {@link IndexNotReady} if they are many or the index is being built. `db` must not be a transaction.
 */
export async function ensureIndexed(db: Db, signal?: AbortSignal): Promise<void> {
  let least = maxPending + 1
  for (let pauses = 0; pauses < maxPauses; pauses++) {
    const state = await readIndexState(db)
    if (!isReadable(state)) throw new IndexNotReady('the index of templates is being built')
    if (state.pending === 0) return
    if (state.pending > maxPending)
      throw new IndexNotReady('many templates were written and are being indexed')
    signal?.throwIfAborted()
    if (state.pending < least) pauses = 0
    least = Math.min(least, state.pending)
    if (!(await indexPending(db))) await setTimeout(pause, undefined, { signal })
  }
  throw new IndexNotReady('another process is indexing templates')
}

/** Indexes a batch of pending templates. Returns false if another process is doing so. */
export async function indexPending(db: Db): Promise<boolean> {
  const locked = await transact(
    db,
    async transaction => {
      const { index } = engineOf(transaction)
      if (!(await index.lock(transaction))) return false
      const ids = await index.takePending(transaction, batchSize)
      await reindexTemplates(transaction, await lockTemplates(transaction, ids), ids)
      return true
    },
    'read committed'
  )
  await setImmediate()
  return locked
}
