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

/** A template, which is locked, and what its document is about to be; null: it is about to be deleted. */
interface Former {
  current: PinnedTemplate
  data: string | null
}

/**
 * Records the revisions that changes of templates are about to make, with their author. The triggers skip what is recorded,
 * so the changes write each row once.
 */
export async function recordRevisions(
  db: Db,
  former: Former[],
  action: RevisionAction,
  author: Author
): Promise<void> {
  if (former.length === 0) return
  const time_recorded = timestamp()
  const rows = former.flatMap(({ current, data }) => {
    const row = { template_id: current.id, time_recorded }
    // The one before is missing if a store of an older version is not completed yet. The feed needs it first.
    const before = { ...row, number: current.revision, ...authorColumns('CREATE', current.data, nobody) }
    return [before, { ...row, number: current.revision + 1, ...authorColumns(action, data, author) }]
  })
  await (former.length === 1 ? prepared(db) : db)
    .insertInto('product_revision')
    .values(rows)
    .onConflict(conflict => conflict.columns(['template_id', 'number']).doNothing())
    .execute()
}

/** Like {@link setAuthor}, for at most 500 templates at once. */
export async function setAuthors(
  db: Db,
  templates: ProductTemplate[],
  action: RevisionAction,
  { subject, clientId, name, message }: Author
): Promise<void> {
  const given = templates.map(({ id, data }) => sql`(${sql.lit(id)}, ${hashOf(data)})`)
  await sql`with given (id, hash) as (values ${sql.join(given)})
    update product_revision set action = ${action}, hash = given.hash,
      subject = ${subject}, client_id = ${clientId}, author_name = ${name ?? null}, message = ${message}
    from given join product_template on product_template.id = given.id
    where template_id = given.id and number = revision`.execute(db)
}

const authorColumns = (
  action: RevisionAction,
  data: string | null,
  { subject, clientId, name, message }: Author
) => ({
  action,
  hash: data === null ? null : hashOf(data),
  subject,
  client_id: clientId,
  author_name: name ?? null,
  message
})
