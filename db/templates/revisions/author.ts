/** Writes what triggers cannot know of a revision: the author, the message, the action and the hash. */
import { sql } from 'kysely'
import { prepared, unread } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestamp } from '../../timestamp.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import { type Author, nobody, type PinnedTemplate } from './revisions.ts'

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
  await unread(changes.length === 1 ? prepared(db) : db)
    .insertInto('product_revision')
    .values(rows)
    .onConflict(conflict => conflict.columns(['template_id', 'number']).doNothing())
    .execute()
}

/**
 * Completes the current revisions of at most 500 templates. `db` is the transaction that has written them. Returns the number
 * of the revision for the id of each template.
 */
export async function setAuthors(
  db: Db,
  templates: ProductTemplate[],
  action: RevisionAction,
  { subject, clientId, name, message }: Author
): Promise<Map<number, number>> {
  const given = templates.map(({ id, data }) => sql`(cast(${id} as integer), ${hashOf(data)})`)
  const { rows } = await sql<{ id: number; number: number }>`
    with given (id, hash) as (values ${sql.join(given)})
    update product_revision set action = ${action}, hash = given.hash,
      subject = ${subject}, client_id = ${clientId}, author_name = ${name ?? null}, message = ${message}
    from given join product_template on product_template.id = given.id
    where template_id = given.id and number = revision
    returning template_id as id, number`.execute(db)
  // Without its revision, a template would be stored without an author.
  if (rows.length < templates.length) throw new Error('a template has no revision: the triggers are missing')
  return new Map(rows.map(({ id, number }) => [id, number]))
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
