/** Writes of many templates, such as imports. Each of their revisions has the `id` of its operation. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { timestamp } from '../../domain/timestamp.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import type { Db, RevisionAction, Transaction } from '../schema.ts'
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
  { action, author, revisions }: { action: RevisionAction; author: Author; revisions: number }
): Promise<void> {
  const { subject, clientId, name = null, message } = author
  const { rows } = await sql`
    insert into product_operation
      (id, action, subject, client_id, author_name, message, time_recorded, revisions)
    values (${id}, ${action}, ${subject}, ${clientId}, ${name}, ${message}, ${timestamp()}, ${revisions})
    on conflict (id) do update set revisions = product_operation.revisions + excluded.revisions
      where product_operation.subject is not distinct from excluded.subject
        and product_operation.client_id is not distinct from excluded.client_id
    returning id`.execute(transaction)
  if (rows.length === 0) throw new ArgumentError('operation is the UUID of an operation of another author')
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
    .select(['time_recorded as time', 'revisions as count'])
    .$if(subject !== undefined, query => query.where('subject', '=', subject as string))
