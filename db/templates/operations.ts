/** Writes of many templates, such as imports. Each of their revisions has the `id` of its operation. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { timestamp } from '../../domain/timestamp.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import type { Db, RevisionAction, Transaction } from '../schema.ts'
import type { Decision } from './writing/decisions.ts'
import type { Author } from './writing/rights.ts'

/** Gives the write of an author an operation, unless it has one. */
export const withOperation = (author: Author): Author => ({
  ...author,
  operation: author.operation ?? randomUUID()
})

/**
 * Adds revisions to an operation, which the first of them creates. Rejects with ArgumentError if the id belongs to another
 * author, so that nobody else adds to the operation, or learns from it.
 */
export async function recordOperation(
  transaction: Transaction,
  id: string,
  { action, author, writes, revisions }: Revisions
): Promise<void> {
  const { subject, clientId, name = null, message } = author
  const created = writes.filter(({ before }) => !before).length
  const deleted = writes.filter(({ after }) => !after).length
  const undoes = action === 'RESTORE' ? await findFormer(transaction, revisions) : null
  const { rows } = await sql`
    insert into product_operation
      (id, action, subject, client_id, author_name, message, time_recorded, revisions, created, deleted, undoes)
    values (${id}, ${action}, ${subject}, ${clientId}, ${name}, ${message}, ${timestamp()}, ${writes.length},
      ${created}, ${deleted}, ${undoes})
    on conflict (id) do update set revisions = product_operation.revisions + excluded.revisions,
      created = product_operation.created + excluded.created,
      deleted = product_operation.deleted + excluded.deleted,
      undoes = case when product_operation.undoes = excluded.undoes then excluded.undoes end
      where product_operation.subject is not distinct from excluded.subject
        and product_operation.client_id is not distinct from excluded.client_id
    returning id`.execute(transaction)
  if (rows.length === 0) throw new ArgumentError('operation is the UUID of an operation of another author')
}

/** Revisions of an operation, and the decisions that they carry out. */
interface Revisions {
  action: RevisionAction
  author: Author
  writes: Decision[]
  revisions: { id: number; number: number }[]
}

/** Finds the operation that made all revisions directly before these; null if there is no such one. */
async function findFormer(
  transaction: Transaction,
  revisions: Revisions['revisions']
): Promise<string | null> {
  const before = revisions.map(
    ({ id, number }) => sql`(cast(${id} as integer), cast(${number - 1} as integer))`
  )
  const { rows } = await sql<{ operation: string | null }>`select distinct operation from product_revision
    where (template_id, number) in (values ${sql.join(before)})`.execute(transaction)
  return rows.length === 1 ? (rows[0]?.operation ?? null) : null
}

/** A write of many templates. */
export type Operation = Awaited<ReturnType<typeof listOperations>>[number]

/** Lists operations, newest first. With a subject, only those of this author. */
export const listOperations = (
  db: Db,
  { subject, before, first }: { subject: string | undefined; before: number | undefined; first: number }
) =>
  selectOperations(db, subject)
    .$if(before !== undefined, query => query.where('sequence', '<', before as number))
    .orderBy('sequence', 'desc')
    .limit(first)
    .execute()

/** Finds the latest operation that undid another one, or a part of it. */
export const findUndo = (db: Db, id: string) =>
  selectOperations(db, undefined)
    .where('undoes', '=', id)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Finds an operation. With a subject, only one of this author. */
export const findOperation = (db: Db, id: string, subject: string | undefined) =>
  selectOperations(db, subject).where('id', '=', id).executeTakeFirst()

const selectOperations = (db: Db, subject: string | undefined) =>
  db
    .selectFrom('product_operation')
    .select([
      'sequence',
      'id',
      'action',
      'subject',
      'client_id as clientId',
      'author_name as name',
      'message'
    ])
    .select(['time_recorded as time', 'revisions as count', 'created', 'deleted'])
    .select(
      sql<number>`(select cast(coalesce(sum(undo.revisions), 0) as integer) from product_operation as undo
        where undo.undoes = product_operation.id)`.as('undone')
    )
    .$if(subject !== undefined, query => query.where('subject', '=', subject as string))
