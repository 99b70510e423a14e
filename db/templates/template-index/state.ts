import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { engineOf } from '../../dialects/engine.ts'
import { NotReady } from '../../dialects/faults.ts'
import { preparedQuery } from '../../dialects/prepared.ts'
import type { Db, Row, Transaction } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { hasProductTemplates } from '../product-templates.ts'
import { lockIds, reindexTemplates } from './entries.ts'

export interface IndexState extends Row<'product_template_index'> {
  /** Number of pending templates. Counting stops at {@link maxPendingCounted}. */
  pending: number
}

/**
 * Version of the tables and contents of the index. Raise it if this program cannot use the entries of an older one.
 * Each database is then reindexed. Until all its instances have the new program, operations that need the index get
 * 503.
 */
const contentsVersion = 6
/**
 * The version in the database: that of the contents and, in the last three digits, that of ICU, whose dictionaries
 * split texts into words. After an upgrade of Node.js with a newer ICU, `maintainIndex` reindexes, and the index stays
 * in use.
 */
export const indexVersion = 1000 * contentsVersion + Number.parseInt(process.versions.icu as string, 10)

export const isCurrentContents = (version: number): boolean => Math.floor(version / 1000) === contentsVersion

/** With more pending templates, operations do not wait for them. */
const maxPending = 1000
const maxPendingCounted = maxPending + 1
/** Templates per transaction. This bounds the time that other writers wait. */
const batchSize = 100
/** Milliseconds between two looks at the progress of another process. */
const checkInterval = 20
/** Looks without progress after which an operation gives up. */
const maxIdleChecks = 50

// Runs with every filter. It is plain SQL, because Kysely would take longer to build it than the engine to run it.
const stateQuery = preparedQuery(
  CompiledQuery.raw(`select version, complete, reached,
  (select count(*) from (select 1 from product_template_pending limit ${maxPendingCounted}) as counted) as pending
  from product_template_index`)
)

export async function readIndexState(db: Db): Promise<IndexState> {
  const { rows } = await db.executeQuery(stateQuery)
  return rows[0] as IndexState
}

/** Whether the index is complete and of the current version. */
export const isReadable = ({ version, complete }: IndexState): boolean =>
  isCurrentContents(version) && complete === 1

export async function isIndexed(db: Db): Promise<boolean> {
  const state = await readIndexState(db)
  return isReadable(state) && state.pending === 0
}

/** Describes in a word whether operations that need the index work. */
export async function describeIndex(db: Db): Promise<string> {
  const state = await readIndexState(db)
  if (!isReadable(state)) return 'building'
  return state.pending > maxPending ? 'behind' : 'ok'
}

export async function writeIndexState(db: Db, state: Partial<Row<'product_template_index'>>): Promise<void> {
  await db.updateTable('product_template_index').set(state).execute()
}

/**
 * Creates the tables of the index if they are missing or have another version. Without templates, the index is then
 * complete. Several processes may do this at once.
 */
export async function prepareIndex(db: Db): Promise<void> {
  if (isCurrentContents((await readIndexState(db)).version)) return
  const engine = engineOf(db)
  await transact(db, async transaction => {
    await engine.lock(transaction, 'migrations')
    if (isCurrentContents((await readIndexState(transaction)).version)) return
    await engine.index.create(transaction)
    await transaction.deleteFrom('product_template_pending').execute()
    const state = (await hasProductTemplates(transaction))
      ? { complete: 0 as const, reached: -1 }
      : { complete: 1 as const, reached: null }
    await writeIndexState(transaction, { version: indexVersion, ...state })
  })
}

/**
 * Resolves when the index is complete. If a few templates are pending, indexes them first. Rejects with
 * {@link NotReady} if many are pending or the index is being built. `db` must not be a transaction.
 */
export async function ensureIndexed(db: Db, signal?: AbortSignal): Promise<void> {
  let least = maxPending + 1
  for (let idleChecks = 0; idleChecks < maxIdleChecks; idleChecks++) {
    const state = await readIndexState(db)
    if (!isReadable(state)) throw new NotReady('the index of templates is being built')
    if (state.pending === 0) return
    if (state.pending > maxPending) throw new NotReady('many templates were written and are being indexed')
    signal?.throwIfAborted()
    if (state.pending < least) idleChecks = 0
    least = Math.min(least, state.pending)
    if (!(await indexPending(db))) await setTimeout(checkInterval, undefined, { signal })
  }
  throw new NotReady('another process is indexing templates')
}

/** Indexes a batch of pending templates. Returns false if another process is doing so. */
export async function indexPending(db: Db): Promise<boolean> {
  const job = async (transaction: Transaction) => {
    const { index } = engineOf(transaction)
    if (!(await index.lock(transaction))) return false
    const ids = await takePending(transaction)
    await reindexTemplates(transaction, await lockIds(transaction, ids), ids)
    return true
  }
  const locked = await transact(db, job, { isolation: 'read committed' })
  await yieldToEventLoop()
  return locked
}

/** Removes a batch of pending templates from the list. Returns their ids. */
async function takePending(transaction: Transaction): Promise<number[]> {
  const key = sql.ref(engineOf(transaction).index.pendingKey)
  const { rows } = await sql<{ id: number }>`delete from product_template_pending where ${key} in (
    select ${key} from product_template_pending order by ${key} limit ${batchSize}
  ) returning template_id as id`.execute(transaction)
  return [...new Set(rows.map(({ id }) => id))]
}
