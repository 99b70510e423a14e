/** Writes what triggers cannot know of a revision: the author, the message, the action and the hash. */
import { sql } from 'kysely'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestamp } from '../../timestamp.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import { type Author, nobody, type PinnedTemplate } from './revisions.ts'

/** Completes the current revision of a template. `db` is the transaction that has written it. Returns the template with it. */
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
 * Records the revisions of changes before they are made; without `after`, a template will be deleted. The templates are
 * locked. The triggers then skip these revisions, so each row is written once.
 */
export async function recordRevisions(
  db: Db,
  changes: { before: PinnedTemplate; after?: ProductTemplate }[],
  action: RevisionAction,
  author: Author
): Promise<void> {
  if (changes.length === 0) return
  const time_recorded = timestamp()
  const rows = changes.flatMap(({ before, after }) => {
    const row = { template_id: before.id, time_recorded }
    return [
      // An older program may not have recorded the current revision. The feed needs it before the new one.
      { ...row, number: before.revision, ...authorColumns('CREATE', before.data, nobody) },
      { ...row, number: before.revision + 1, ...authorColumns(action, after?.data, author) }
    ]
  })
  await (changes.length === 1 ? prepared(db) : db)
    .insertInto('product_revision')
    .values(rows)
    .onConflict(conflict => conflict.columns(['template_id', 'number']).doNothing())
    .execute()
}

/** Like {@link setAuthor}, for at most 500 templates in one statement. */
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
  data: string | undefined,
  { subject, clientId, name, message }: Author
) => ({
  action,
  hash: data === undefined ? null : hashOf(data),
  subject,
  client_id: clientId,
  author_name: name ?? null,
  message
})
