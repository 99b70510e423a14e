/** Completes the revisions that triggers have recorded: what was done, the hash, who did it, and why. */
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import type { Author, PinnedTemplate } from './revisions.ts'

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

/** Sets the author of a deletion. `db` is its transaction. */
export async function setDeletionAuthor(db: Db, id: number, revision: number, author: Author): Promise<void> {
  await prepared(db)
    .updateTable('product_revision')
    .set(authorColumns('DELETE', null, author))
    .where('template_id', '=', id)
    .where('number', '=', revision)
    .execute()
}

/** Sets the author of the current revisions of imported templates. Their hashes are computed later. `db` is a transaction. */
export async function setImportAuthor(
  db: Db,
  ids: number[],
  { subject, clientId, message }: Author
): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('product_revision')
    .set({ action: 'IMPORT', subject, client_id: clientId, message })
    .where(sql<boolean>`${engineOf(db).syntax.isOneOf(sql.ref('template_id'), ids)} and number =
      (select revision from product_template where id = template_id)`)
    .execute()
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
