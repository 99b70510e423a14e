/** The feed of changes. The functions that release changes write, and `resolveStart` calls one. */
import { sql } from 'kysely'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { ArgumentError } from '../../../runtime/host-errors.ts'
import { fromChangeCursor } from '../../cursors.ts'
import { engineOf } from '../../dialects/engine.ts'
import { isUnavailable } from '../../dialects/faults.ts'
import type { Db, RevisionAction, Transaction } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import type { TemplateFilter } from '../filter/filter.ts'
import { hashRevisions } from '../revisions/hashes.ts'
import { findVisible, type RevisionKey, toMapKey } from '../revisions/revisions.ts'

/** A committed change of a template. */
export interface Change {
  /** Place in the feed: 1, 2, 3, … in the order in which changes were released after their commit. */
  position: number
  id: number
  revision: number
  action: ChangeAction
  /** SHA-256 of `data`, hex; null for a deletion. */
  hash: string | null
  /** UTC with microseconds. */
  time: string
}

/** For a template that is restored after its deletion, it is `INSERT`. */
type ChangeAction = 'INSERT' | 'UPDATE' | 'DELETE'

/** Lists the released changes after a position. The changes of a template have the order of its revisions. */
export async function listChanges(db: Db, after: number, first: number): Promise<Change[]> {
  const { rows } = await sql<Omit<Change, 'action'> & Record<'action' | 'before', RevisionAction | null>>`
    select change.position, change.template_id as id, change.number as revision, change.action, change.hash,
      change.time_recorded as time, before.action as before
    from product_revision as change left join product_revision as before
      on before.template_id = change.template_id and before.number = change.number - 1
    where change.position > ${after} order by change.position limit ${first}`.execute(db)
  return rows.map(({ action, before, hash, ...row }) => ({
    ...row,
    hash: hash || null,
    action: action === 'DELETE' ? 'DELETE' : before === null || before === 'DELETE' ? 'INSERT' : 'UPDATE'
  }))
}

/** Returns the position of the last released change; 0 if there is none. */
export async function findLastPosition(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('product_revision')
    .select(({ fn }) => fn.max('position').as('last'))
    .executeTakeFirstOrThrow()
  return last ?? 0
}

/**
 * Resolves the position after which a stream starts: the position of its cursor, or 0 for `start`. Without a cursor,
 * releases all committed changes, and starts after them. Throws ArgumentError for any other text, and for a cursor of
 * another database.
 */
export async function resolveStart(db: Db, cursor: string | undefined): Promise<number> {
  if (cursor === undefined) return releaseAllChanges(db)
  if (cursor === 'start') return 0
  const position = fromChangeCursor(cursor)
  if (position === undefined) throw new ArgumentError('after and Last-Event-ID must be a cursor or `start`')
  if (position > (await findLastPosition(db)))
    throw new ArgumentError('the cursor is after the last change: it belongs to another database')
  return position
}

/**
 * Changes per transaction. This bounds the time that other processes wait, and SQLite's writers. A batch fills the
 * longest page of `changes`, and has one more, for `hasNextPage`.
 */
const batchSize = 1001

/**
 * Releases a batch of committed changes: gives them the next positions. Returns their number. One process at a time
 * does this, after the commit of the changes. So a change never appears before another one that was read already, and a
 * reader that continues after the last position gets each change exactly once. Without new changes, this writes
 * nothing. Rejects if it cannot write: the feed then lacks committed changes. In a snapshot, it does nothing.
 */
export async function releaseChanges(db: Db, limit = batchSize): Promise<number> {
  if (db.isTransaction) return 0
  const { rows } = await sql`select sequence from product_revision where position is null
    order by position, sequence limit 1`.execute(db)
  if (rows.length === 0) return 0
  await hashRevisions(db, limit)
  const job = async (transaction: Transaction) => {
    await engineOf(transaction).lock(transaction, 'changes')
    const { numAffectedRows = 0n } = await numberChanges(limit).execute(transaction)
    return Number(numAffectedRows)
  }
  // The transaction is not serializable, because the statement must see all that was committed before the lock.
  return transact(db, job, { isolation: 'read committed' })
}

/** Releases a batch, for a reader that waits for more changes anyway. Does nothing if the store cannot be written. */
export async function tryToReleaseChanges(db: Db): Promise<void> {
  await releaseChanges(db).catch(error => {
    if (!isUnavailable(error)) throw error
  })
}

/** Releases all changes that are committed now, and returns the last position. Rejects if it cannot write. */
export async function releaseAllChanges(db: Db): Promise<number> {
  while ((await releaseChanges(db)) === batchSize) await yieldToEventLoop()
  return findLastPosition(db)
}

/** Numbers the changes up to the first revision whose hash is not computed yet. */
const numberChanges = (limit: number) => sql`
  with unhashed as (
    select sequence from product_revision where hash is null and action <> 'DELETE' order by sequence limit 1
  ), unreleased as (
    select sequence from product_revision where position is null
    and sequence < coalesce((select sequence from unhashed), ${sql.lit(Number.MAX_SAFE_INTEGER)})
    order by position, sequence limit ${limit}
  ), numbered as (
    select sequence, row_number() over (order by sequence) as number from unreleased
  )
  update product_revision set position = numbered.number + (select coalesce(max(position), 0) from product_revision)
  from numbered where product_revision.sequence = numbered.sequence`

/**
 * Returns the changes as they look to a caller who sees only matches of a filter. An update after which a template
 * starts to match counts as an insert, and an update after which it stops matching counts as a deletion.
 */
export async function selectVisibleChanges(
  db: Db,
  filter: TemplateFilter,
  changes: Change[]
): Promise<Change[]> {
  const before = ({ id, revision }: RevisionKey): RevisionKey => ({ id, revision: revision - 1 })
  const seen = await findVisible(
    db,
    filter,
    changes.flatMap(change => [before(change), change])
  )
  return changes.flatMap((change): Change[] => {
    const [was, is] = [seen.has(toMapKey(before(change))), seen.has(toMapKey(change))]
    if (is) return [was ? change : { ...change, action: 'INSERT' }]
    return was ? [{ ...change, action: 'DELETE', hash: null }] : []
  })
}
