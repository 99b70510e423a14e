import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestampAfter } from '../../timestamp.ts'
import { insertProductTemplates, updateProductTemplates } from '../index/write.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import type { Author, PinnedTemplate } from './revisions.ts'

/** Completes what triggers have recorded of the deletion of a template. `db` is a transaction. */
export async function signDeletion(db: Db, id: number, revision: number, author: Author): Promise<void> {
  await prepared(db)
    .updateTable('product_revision')
    .set(signature('DELETE', null, author))
    .where('template_id', '=', id)
    .where('number', '=', revision)
    .execute()
}

/** Says of the current revisions of templates that they were imported. Their hashes are computed later. `db` is a transaction. */
export async function signImported(
  db: Db,
  ids: number[],
  { subject, clientId, message }: Author
): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('product_revision')
    .set({ action: 'IMPORT', subject, client_id: clientId, message })
    .where(sql<boolean>`${engineOf(db).isOneOf(sql.ref('template_id'), ids)} and number =
      (select revision from product_template where id = template_id)`)
    .execute()
}

/** Inserts a template with its author; `db` is a transaction. */
export async function insertTemplate(
  db: Db,
  template: ProductTemplate,
  author: Author,
  action: RevisionAction
): Promise<PinnedTemplate> {
  await insertProductTemplates(db, [template])
  return signCurrent(db, template, author, action)
}

/** Gives a template, which is locked, other values and a later time; `db` is a transaction. */
export async function changeTemplate(
  db: Db,
  current: ProductTemplate,
  changed: ProductTemplate,
  author: Author,
  action: RevisionAction
): Promise<PinnedTemplate> {
  const template = { ...changed, timeModified: timestampAfter(current.timeModified) }
  await updateProductTemplates(db, [template], [current])
  return signCurrent(db, template, author, action)
}

/** Completes what triggers have recorded of the current revision of a template. */
async function signCurrent(
  db: Db,
  template: ProductTemplate,
  author: Author,
  action: RevisionAction
): Promise<PinnedTemplate> {
  const { number } = await prepared(db)
    .updateTable('product_revision')
    .from('product_template')
    .set(signature(action, template.data, author))
    .where('product_template.id', '=', template.id)
    .where('template_id', '=', template.id)
    .whereRef('number', '=', 'product_template.revision')
    .returning('number')
    .executeTakeFirstOrThrow()
  return { ...template, revision: number }
}

const signature = (action: RevisionAction, data: string | null, { subject, clientId, message }: Author) => ({
  action,
  hash: data === null ? null : hashOf(data),
  subject,
  client_id: clientId,
  message
})
