/** Completes the revisions that triggers have recorded: what was done, the hash, who did it, and why. */
import { sql } from 'kysely'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestamp } from '../../timestamp.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import { type Author, nobody, type PinnedTemplate } from './revisions.ts'

/** Sets the author of the current revision of a template. `db` is the transaction that has written it. */
export async function setAuthor(
  db: Db,
  template: ProductTemplate,
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate> {
  const { number } = await prepared(db)
    .updateTable('product_revision')
    .from('product_template')
    .set(authorColumns(action, template.data, author))
    .where('product_template.id', '=', template.id)
    .where('template_id', '=', template.id)
    .whereRef('number', '=', 'product_template.revision')
    .returning('number')
    .executeTakeFirstOrThrow()
  return { ...template, revision: number }
}

/**
 * Records the revision that a change of a template is about to make, with its author; for a deletion, `data` is null.
 * The triggers skip what is recorded, so the change writes the row once. `db` is the transaction that has locked `current`.
 */
export async function recordRevision(
  db: Db,
  current: PinnedTemplate,
  data: string | null,
  action: RevisionAction,
  author: Author
): Promise<number> {
  const number = current.revision + 1
  const row = { template_id: current.id, time_recorded: timestamp() }
  const before = { ...row, number: current.revision, ...authorColumns('CREATE', current.data, nobody) }
  await prepared(db)
    .insertInto('product_revision')
    // The one before is missing if a store of an older version is not completed yet. The feed needs it first.
    .values([before, { ...row, number, ...authorColumns(action, data, author) }])
    .onConflict(conflict => conflict.columns(['template_id', 'number']).doNothing())
    .execute()
  return number
}

/** Like {@link setAuthor}, for at most 500 templates at once. */
export async function setAuthors(
  db: Db,
  templates: ProductTemplate[],
  action: RevisionAction,
  { subject, clientId, message }: Author
): Promise<void> {
  const given = templates.map(({ id, data }) => sql`(${sql.lit(id)}, ${hashOf(data)})`)
  await sql`with given (id, hash) as (values ${sql.join(given)})
    update product_revision set action = ${action}, hash = given.hash,
      subject = ${subject}, client_id = ${clientId}, message = ${message}
    from given join product_template on product_template.id = given.id
    where template_id = given.id and number = revision`.execute(db)
}

const authorColumns = (
  action: RevisionAction,
  data: string | null,
  { subject, clientId, message }: Author
) => ({
  action,
  hash: data === null ? null : hashOf(data),
  subject,
  client_id: clientId,
  message
})
