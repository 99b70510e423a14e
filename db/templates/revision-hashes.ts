import { setImmediate } from 'node:timers/promises'
import { engineOf } from '../dialects/engine.ts'
import { IndexNotReady } from '../dialects/faults.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'
import { timestamp } from '../timestamp.ts'
import { transact } from '../transaction.ts'
import { takeTurns } from './meter.ts'
import { findRevision, hashOf } from './revisions.ts'

/** Revisions per transaction; bounds the time that other writers wait. */
const batchSize = 50
/** Revisions that a reader completes itself. */
const maxAtOnce = 1000

/**
 * Completes the revisions in the background: records those of templates that are older than the revisions, and computes
 * the hashes that triggers could not. Goes on where it was stopped; several processes may do this at once.
 */
export async function keepRevisions(db: Db, signal: AbortSignal): Promise<void> {
  // Read first: a transaction that finds nothing to do would make writers wait.
  while (!signal.aborted && (await readReached(db)) !== null && (await transact(db, recordEarlier)) > 0)
    await setImmediate()
  while (!signal.aborted && !(await hashRevisions(db, batchSize))) await setImmediate()
}

/** Resolves once every revision has its hash. Rejects with {@link IndexNotReady} if many lack it. */
export async function ensureHashed(db: Db): Promise<void> {
  if ((await readReached(db)) !== null)
    throw new IndexNotReady('the revisions of templates are being recorded')
  if (!(await hashRevisions(db, maxAtOnce)))
    throw new IndexNotReady('the hashes of revisions are being computed')
}

/** Computes the hashes of the oldest revisions without one, up to a limit. Returns whether all have theirs. */
export async function hashRevisions(db: Db, limit: number): Promise<boolean> {
  for (let done = 0; done < limit; done += batchSize) {
    const [first] = await findUnhashed(db, 1)
    if (!first) return true
    await transact(db, computeHashes)
    await setImmediate()
  }
  return false
}

/** Returns the id up to which templates have a recorded revision; null if all have. */
async function readReached(db: Db): Promise<number | null> {
  const { recorded_up_to } = await prepared(db)
    .selectFrom('product_store')
    .select('recorded_up_to')
    .executeTakeFirstOrThrow()
  return recorded_up_to
}

/** Records the first revision of a batch of templates, without its hash. Returns their number. */
async function recordEarlier(db: Db): Promise<number> {
  const reached = await readReached(db)
  if (reached === null || !(await engineOf(db).index.lock(db))) return 0
  const templates = await db
    .selectFrom('product_template')
    .select(['id', 'revision'])
    .where('id', '>', reached)
    .orderBy('id')
    .limit(batchSize)
    .execute()
  const time_recorded = timestamp()
  const rows = templates.map(({ id, revision }) => ({
    template_id: id,
    number: revision as number,
    action: 'CREATE' as const,
    time_recorded
  }))
  if (rows.length > 0)
    await db
      .insertInto('product_revision')
      .values(rows)
      .onConflict(conflict => conflict.columns(['template_id', 'number']).doNothing())
      .execute()
  const last = rows.length < batchSize ? null : (rows.at(-1)?.template_id as number)
  await db.updateTable('product_store').set({ recorded_up_to: last }).execute()
  return rows.length
}

/** Computes the hashes of a batch of revisions. */
async function computeHashes(db: Db): Promise<void> {
  const revisions = await findUnhashed(db, batchSize)
  const takeTurn = takeTurns()
  for (const { sequence, template_id, number } of revisions) {
    // One by one, because documents may be long.
    const pinned = await findRevision(db, template_id, number)
    // Nothing archived it: only a store that is damaged or was edited by hand has such a revision.
    const hash = pinned === undefined ? '' : hashOf(pinned.data)
    await db.updateTable('product_revision').set({ hash }).where('sequence', '=', sequence).execute()
    await takeTurn()
  }
}

const findUnhashed = (db: Db, limit: number) =>
  db
    .selectFrom('product_revision')
    .select(['sequence', 'template_id', 'number'])
    .where('hash', 'is', null)
    .where('action', '<>', 'DELETE')
    .orderBy('sequence')
    .limit(limit)
    .execute()
