/**
 * Bulk changes: each is one bulk write, such as an import, or several of the same author. Their revisions have its `id`.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { timestamp } from '../../domain/timestamp.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import type { Db, RevisionAction, Transaction } from '../schema.ts'
import { type Effect, idOf } from './writing/decisions.ts'
import type { Author } from './writing/rights.ts'

/** Gives the write of an author a bulk change, unless it has one. */
export const withBulkChange = (author: Author): Author => ({
  ...author,
  bulkChange: author.bulkChange ?? randomUUID()
})

/**
 * Adds revisions to a bulk change, which the first of them creates. Rejects with ArgumentError if the id belongs to
 * another author, so that nobody else adds to the bulk change, or learns from it.
 */
export async function recordBulkChange(
  transaction: Transaction,
  id: string,
  { action, author, writes, revisions }: Revisions
): Promise<void> {
  const { subject, clientId, name, message } = author
  const created = writes.filter(({ kind }) => kind === 'create').length
  const deleted = writes.filter(({ kind }) => kind === 'delete').length
  const undoes = action === 'RESTORE' ? await findUndone(transaction, writes, revisions) : null
  const { rows } = await sql`
    insert into product_bulk_change
      (id, action, subject, client_id, author_name, message, time_recorded, revisions, created, deleted, undoes)
    values (${id}, ${action}, ${subject}, ${clientId}, ${name}, ${message}, ${timestamp()}, ${writes.length},
      ${created}, ${deleted}, ${undoes})
    on conflict (id) do update set revisions = product_bulk_change.revisions + excluded.revisions,
      created = product_bulk_change.created + excluded.created,
      deleted = product_bulk_change.deleted + excluded.deleted,
      undoes = case when product_bulk_change.undoes = excluded.undoes then excluded.undoes end
      where product_bulk_change.subject is not distinct from excluded.subject
        and product_bulk_change.client_id is not distinct from excluded.client_id
    returning id`.execute(transaction)
  if (rows.length === 0) throw new ArgumentError('bulkChange is the UUID of a bulk change of another author')
}

/** Revisions of a bulk change, and the decisions that they carry out. */
interface Revisions {
  action: RevisionAction
  author: Author
  writes: Effect[]
  revisions: { id: number; number: number }[]
}

/**
 * Finds the bulk change that restorations undo; null if there is none. It made the revisions directly after the restored
 * ones, and those directly before the new ones.
 */
async function findUndone(
  transaction: Transaction,
  writes: Effect[],
  revisions: Revisions['revisions']
): Promise<string | null> {
  const restored = new Map(writes.map(each => [idOf(each), each.restored]))
  const undone = revisions.flatMap(({ id, number }) =>
    [Number(restored.get(id)) + 1, number - 1].map(
      each => sql`(cast(${id} as integer), cast(${each} as integer))`
    )
  )
  const { rows } = await sql<{
    bulkChange: string | null
  }>`select distinct bulk_change as "bulkChange" from product_revision
    where (template_id, number) in (values ${sql.join(undone)})`.execute(transaction)
  return rows.length === 1 ? (rows[0]?.bulkChange ?? null) : null
}

export type BulkChange = Awaited<ReturnType<typeof listBulkChanges>>[number]

/** Lists bulk changes, newest first. With a subject, only those of this author. */
export const listBulkChanges = (
  db: Db,
  { subject, before, first }: { subject: string | undefined; before: number | undefined; first: number }
) =>
  selectBulkChanges(db, subject)
    .$if(before !== undefined, query => query.where('sequence', '<', before as number))
    .orderBy('sequence', 'desc')
    .limit(first)
    .execute()

/** Finds the latest bulk change that undid another one, or a part of it. With a subject, only one of this author. */
export const findUndo = (db: Db, id: string, subject: string | undefined) =>
  selectBulkChanges(db, subject)
    .where('undoes', '=', id)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Finds a bulk change. With a subject, only one of this author. */
export const findBulkChange = (db: Db, id: string, subject: string | undefined) =>
  selectBulkChanges(db, subject).where('id', '=', id).executeTakeFirst()

const selectBulkChanges = (db: Db, subject: string | undefined) =>
  db
    .selectFrom('product_bulk_change')
    .select([
      'sequence',
      'id',
      'action',
      'subject',
      'client_id as clientId',
      'author_name as name',
      'message'
    ])
    .select(['time_recorded as time', 'revisions as count', 'created', 'deleted', 'undoes'])
    .select(
      sql<number>`(select cast(coalesce(sum(undo.revisions), 0) as integer) from product_bulk_change as undo
        where undo.undoes = product_bulk_change.id)`.as('undone')
    )
    .$if(subject !== undefined, query => query.where('subject', '=', subject as string))
