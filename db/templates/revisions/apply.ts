/**
 * Writes templates that the caller has locked, in the transaction of the caller. Writes by plain SQL have revisions, too: for
 * each change of `product_template`, triggers copy the old values to `product_template_past` and insert a row without an
 * author into `product_revision`. A change here inserts that row first, with its author. A creation adds the author to the
 * row of the trigger.
 */
import { sql } from 'kysely'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction, Transaction } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import {
  deleteProductTemplates,
  insertProductTemplates,
  updateProductTemplates
} from '../table/product-templates.ts'
import { type Author, nobody, type PinnedTemplate } from './revisions.ts'
import { checkRights } from './rights.ts'

/** Inserts at most 500 templates whose ids are free. Returns them with their revisions. */
export async function insertTemplates(
  transaction: Transaction,
  templates: ProductTemplate[],
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate[]> {
  if (templates.length === 0) return []
  await checkRights(
    author,
    templates.map(after => ({ after }))
  )
  await insertProductTemplates(transaction, templates)
  const numbers = await setAuthors(transaction, templates, action, author)
  return templates.map(template => ({ ...template, revision: numbers.get(template.id) as number }))
}

/** A locked template and its new values. */
export interface TemplateChange {
  before: PinnedTemplate
  after: ProductTemplate
}

/**
 * Gives templates new values, as new revisions. A time of modification that is not later than the old one becomes the current
 * time, or the next after the old one.
 */
export async function changeTemplates(
  transaction: Transaction,
  changes: TemplateChange[],
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate[]> {
  if (changes.length === 0) return []
  const numbered = changes.map(({ before, after }) => {
    const isLater = after.timeModified > before.timeModified
    const timeModified = isLater ? after.timeModified : timestampAfter(before.timeModified)
    return { before, after: { ...after, timeModified, revision: before.revision + 1 } }
  })
  await checkRights(author, numbered)
  await updateProductTemplates(transaction, numbered, some =>
    recordRevisions(transaction, some, action, author)
  )
  return numbered.map(({ after }) => after)
}

/** Deletes locked templates. Their revisions stay. */
export async function removeTemplates(
  transaction: Transaction,
  locked: PinnedTemplate[],
  author: Author
): Promise<void> {
  if (locked.length === 0) return
  const deletions = locked.map(before => ({ before }))
  await checkRights(author, deletions)
  await deleteProductTemplates(
    transaction,
    locked.map(({ id }) => id),
    recordRevisions(transaction, deletions, 'DELETE', author)
  )
}

/** Records the revisions of changes. The triggers, which run after the changes, then skip these revisions. */
function recordRevisions(
  db: Db,
  changes: { before: PinnedTemplate; after?: ProductTemplate }[],
  action: RevisionAction,
  author: Author
) {
  const time_recorded = timestamp()
  const rows = changes.flatMap(({ before, after }) => {
    const row = { template_id: before.id, time_recorded }
    return [
      // An older program may not have recorded the current revision. The feed needs it before the new one.
      { ...row, number: before.revision, ...authorColumns('CREATE', before.data, nobody) },
      { ...row, number: before.revision + 1, ...authorColumns(action, after?.data, author) }
    ]
  })
  return db
    .insertInto('product_revision')
    .values(rows)
    .onConflict(conflict => conflict.columns(['template_id', 'number']).doNothing())
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

/**
 * Completes the revisions of creations, because the trigger gives them their numbers: an id may be used again. Returns the number
 * for the id of each template.
 */
async function setAuthors(
  transaction: Transaction,
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
    returning template_id as id, number`.execute(templates.length === 1 ? prepared(transaction) : transaction)
  // Without its revision, a template would be stored without an author.
  if (rows.length < templates.length) throw new Error('a template has no revision: the triggers are missing')
  return new Map(rows.map(({ id, number }) => [id, number]))
}
