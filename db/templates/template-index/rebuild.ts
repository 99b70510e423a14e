import { setTimeout } from 'node:timers/promises'
import { maxInt } from '../../../domain/columns.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, Transaction } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { reindexTemplates } from './entries.ts'
import {
  type IndexState,
  indexPending,
  indexVersion,
  isCurrentContents,
  prepareIndex,
  readIndexState,
  writeIndexState
} from './state.ts'

interface RebuildOptions {
  /** Stops the rebuild after a batch. The next rebuild continues from there. */
  signal?: AbortSignal
  /** Called with the number of templates that all processes have indexed, and the number of all templates. */
  progress?: (done: number, total: number) => void
}

/** Templates per transaction. This bounds the time that other writers wait. */
const batchSize = 100
/** Milliseconds between two looks at the progress of another process. */
const checkInterval = 200

/** Begins to reindex all templates, unless a rebuild is in progress. The index stays in use. */
export async function beginRebuild(db: Db): Promise<void> {
  await db.updateTable('product_template_index').set({ reached: -1 }).where('reached', 'is', null).execute()
}

/** Completes the rebuild in progress. Of several processes, one works at a time. Rejects if the signal aborts. */
export async function continueRebuild(db: Db, { signal, progress }: RebuildOptions = {}): Promise<void> {
  const total = progress ? await countTemplates(db) : 0
  let done = progress ? await countDone(db) : 0
  for (let step: Step = 0; step !== 'done'; ) {
    signal?.throwIfAborted()
    progress?.(done, total)
    step = await transact(db, rebuildBatch, { isolation: 'read committed' })
    if (step === 'busy') {
      await setTimeout(checkInterval, undefined, { signal })
      if (progress) done = await countDone(db)
    } else if (step !== 'done') {
      done += step
      await engineOf(db).letOthersWrite()
    }
  }
  await engineOf(db).analyze(db)
}

/** The number of templates that were indexed; `busy`: another process is indexing. */
type Step = number | 'done' | 'busy'

async function rebuildBatch(transaction: Transaction): Promise<Step> {
  const { index, syntax } = engineOf(transaction)
  if (!(await index.lock(transaction))) return 'busy'
  const state = await readIndexState(transaction)
  if (!mayContinue(state)) return 'done'
  const { reached } = state
  const rows = await transaction
    .selectFrom('product_template')
    .select('id')
    .where('id', '>', reached)
    .orderBy('id')
    .limit(batchSize)
    .modifyEnd(syntax.lockRows)
    .execute()
  const ids = rows.map(({ id }) => id)
  const last = ids.length < batchSize ? maxInt : (ids.at(-1) as number)
  // The range also covers templates that were deleted without becoming pending.
  await reindexTemplates(transaction, ids, { above: reached, upTo: last })
  await writeIndexState(transaction, last === maxInt ? { complete: 1, reached: null } : { reached: last })
  return last === maxInt ? 'done' : ids.length
}

/** Whether a rebuild is in progress for this program. One for a newer ICU is not, while the index is in use. */
const mayContinue = (state: IndexState): state is IndexState & { reached: number } =>
  isCurrentContents(state.version) &&
  state.reached !== null &&
  (state.version <= indexVersion || state.complete === 0)

async function countDone(db: Db): Promise<number> {
  const { reached } = await readIndexState(db)
  return countTemplates(db, reached ?? maxInt)
}

async function countTemplates(db: Db, upTo = maxInt): Promise<number> {
  const { count } = await db
    .selectFrom('product_template')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('id', '<=', upTo)
    .executeTakeFirstOrThrow()
  return count
}

interface UpkeepOptions {
  /** Stops the work after a batch. */
  signal: AbortSignal
  /** Called at the start and the end of a rebuild, with its duration. */
  report: (what: 'begin' | 'end', milliseconds?: number) => void
}

/** Finishes a rebuild in progress and indexes pending templates. */
export async function maintainIndex(db: Db, { signal, report }: UpkeepOptions): Promise<void> {
  let state = await readIndexState(db)
  // PostgreSQL's trigger sets version 0 after a truncate. An older program that starts meanwhile sets its own version.
  if (state.version < indexVersion) {
    await prepareIndex(db)
    // An older ICU has split the texts.
    const begun = { version: indexVersion, reached: -1 }
    await db.updateTable('product_template_index').set(begun).where('version', '<', indexVersion).execute()
    state = await readIndexState(db)
  }
  if (mayContinue(state)) {
    const begin = performance.now()
    report('begin')
    await continueRebuild(db, { signal })
    report('end', performance.now() - begin)
  }
  while (state.pending > 0 && isCurrentContents(state.version)) {
    signal.throwIfAborted()
    if (await indexPending(db)) await engineOf(db).letOthersWrite()
    else await setTimeout(checkInterval, undefined, { signal })
    state = await readIndexState(db)
  }
}
