import { setTimeout } from 'node:timers/promises'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { indexVersion } from './entries.ts'
import { readIndexState, writeIndexState } from './state.ts'
import { addToIndex } from './write.ts'

export interface RebuildOptions {
  /** Stops the rebuild after a batch; the next one continues from there. */
  signal?: AbortSignal
  /** Called with the number of templates indexed so far, by any process, and in total. */
  progress?: (done: number, total: number) => void
}

/** Templates per transaction; bounds the time that other writers wait. */
const batchSize = 100
/** Maximum id of a template. */
const lastId = 2_147_483_647
/** Milliseconds between checks of the progress of another process. */
const pause = 200

/** Starts to reindex every template, unless a rebuild is in progress. Filters keep using the index. */
export async function beginRebuild(db: Db): Promise<void> {
  await db.updateTable('product_template_index').set({ reached: -1 }).where('reached', 'is', null).execute()
}

/**
 * Continues a rebuild in progress to its end. If several processes do this, one works at a time. Rejects with the
 * reason of the signal.
 */
export async function continueRebuild(db: Db, { signal, progress }: RebuildOptions = {}): Promise<void> {
  const total = progress ? await countTemplates(db) : 0
  let done = progress ? await countDone(db) : 0
  for (let step: Step = 0; step !== 'done'; ) {
    signal?.throwIfAborted()
    progress?.(done, total)
    step = await transact(db, rebuildBatch)
    if (step === 'busy') {
      await setTimeout(pause, undefined, { signal })
      if (progress) done = await countDone(db)
    } else if (step !== 'done') done += step
  }
  await engineOf(db).analyze(db)
}

/** The number of templates indexed; `busy`: another process is indexing. */
type Step = number | 'done' | 'busy'

async function rebuildBatch(db: Db): Promise<Step> {
  const { index } = engineOf(db)
  if (!(await index.lock(db))) return 'busy'
  const { version, reached } = await readIndexState(db)
  if (version !== indexVersion || reached === null) return 'done'
  const rows = await db
    .selectFrom('product_template')
    .select('id')
    .where('id', '>', reached)
    .orderBy('id')
    .limit(batchSize)
    .execute()
  const ids = rows.map(({ id }) => id)
  const last = ids.length < batchSize ? lastId : (ids.at(-1) as number)
  // This includes templates that were deleted without a mark.
  await index.removeBetween(db, reached, last)
  await addToIndex(db, ids)
  await writeIndexState(db, last === lastId ? { complete: 1, reached: null } : { reached: last })
  return last === lastId ? 'done' : ids.length
}

async function countDone(db: Db): Promise<number> {
  const { reached } = await readIndexState(db)
  return countTemplates(db, reached ?? lastId)
}

async function countTemplates(db: Db, upTo = lastId): Promise<number> {
  const { count } = await db
    .selectFrom('product_template')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('id', '<=', upTo)
    .executeTakeFirstOrThrow()
  return count
}
