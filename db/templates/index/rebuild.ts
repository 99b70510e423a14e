import { setTimeout } from 'node:timers/promises'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { indexVersion } from './entries.ts'
import { readIndexState, writeIndexState } from './state.ts'
import { addToIndex } from './write.ts'

export interface RebuildOptions {
  /** Ends the rebuild between two batches; the next one goes on from there. */
  signal?: AbortSignal
  /** Hears how many templates of how many are done, by this process and others. */
  progress?: (done: number, total: number) => void
}

/** Templates of one transaction: other writers wait for no more. */
const batchSize = 100
/** The highest id of a template. */
const lastId = 2_147_483_647
/** Milliseconds before it is looked again how far another process is. */
const pause = 200

/** Begins to index every template again, unless that is under way. Filters use the index as it is meanwhile. */
export async function beginRebuild(db: Db): Promise<void> {
  await db.updateTable('product_template_index').set({ reached: -1 }).where('reached', 'is', null).execute()
}

/**
 * Goes on with a rebuild that is under way, to its end. Of several processes one works at a time, the others wait.
 * Rejects with the reason of the signal.
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

/** How many templates were indexed; `busy`: another process is indexing. */
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
  // Also templates that were deleted without a mark.
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
