/**
 * Writes templates that the caller has locked, in the transaction of the caller. Writes by plain SQL have revisions, too: for
 * each change of `product_template`, triggers copy the old values to `product_template_past` and insert a row without an
 * author into `product_revision`. A change here inserts that row first, with its author. A creation adds the author to the
 * row of the trigger.
 */
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestampAfter } from '../../timestamp.ts'
import type { DeferredEntries } from '../index/deferred-entries.ts'
import { takeTurn } from '../meter.ts'
import { permits } from '../rules/rule.ts'
import type { ProductTemplate } from '../table/columns.ts'
import {
  deleteProductTemplates,
  insertProductTemplates,
  updateProductTemplates
} from '../table/write-with-index.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Problem } from '../validation/validate.ts'
import { recordRevisions, setAuthors } from './author.ts'
import type { Author, PinnedTemplate } from './revisions.ts'

/** A reason why nothing was written. */
export interface WriteProblem extends Omit<Problem, 'code'> {
  code:
    | Problem['code']
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'UNEXPECTED_COUNT'
    | 'ID_TAKEN'
    | 'NO_FREE_ID'
    | 'AMBIGUOUS'
    | 'IDEMPOTENCY_KEY_REUSED'
  /** For a conflict, the number of the current revision. */
  currentRevision?: number
}

/** The result of a write. If there are problems, nothing was written. */
export interface Written {
  /** The new template, the deleted one, or the current one if nothing has changed or after a conflict. */
  product: PinnedTemplate | null
  /** The template before a change; absent if it is new. */
  before?: PinnedTemplate
  /** Number of the new revision; null if nothing has changed. */
  revision: number | null
  problems: WriteProblem[]
  /** Whether this was a dry run. */
  isUndone?: boolean
  /** Problems of the document that do not prevent the write. */
  warnings: Problem[]
}

export const done = (product: PinnedTemplate, warnings: Problem[] = []): Written => ({
  product,
  revision: product.revision,
  problems: [],
  warnings
})

export const unchanged = (product: PinnedTemplate): Written => ({ ...done(product), revision: null })

/** Makes the result of a write that was refused. */
export const refuse = (...problems: WriteProblem[]): Written => ({
  product: null,
  revision: null,
  problems,
  warnings: []
})

export const notFound = (): Written => refuse(makeProblem('NOT_FOUND', 'no template has this id', 'id'))

/** The author lacks a right, so nothing is written. */
export class NotAllowed extends Error {}

/** Rejects with NotAllowed if the author lacks the right to a change. Without `before`, it creates; without `after`, it deletes. */
export async function checkRights(
  { mayPublish = true, rule }: Author,
  changes: { before?: ProductTemplate | undefined; after?: ProductTemplate | undefined }[]
): Promise<void> {
  for (const { before, after } of changes) {
    if (rule) await takeTurn()
    if (after && !permits(rule, after))
      throw new NotAllowed('the template would be none of those that your account may write')
    if (mayPublish) continue
    if (!after) throw new NotAllowed('deleting a template requires the right to publish')
    if ((before?.publicProduct ?? false) !== after.publicProduct)
      throw new NotAllowed('changing publicProduct requires the right to publish')
  }
}

/** Inserts templates whose ids are free. Returns them with their revisions. */
export async function insertTemplates(
  db: Db,
  templates: ProductTemplate[],
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate[]> {
  if (templates.length === 0) return []
  await checkRights(
    author,
    templates.map(after => ({ after }))
  )
  await insertProductTemplates(db, templates)
  const numbers = await setAuthors(templates.length === 1 ? prepared(db) : db, templates, action, author)
  return templates.map(template => ({ ...template, revision: numbers.get(template.id) as number }))
}

/** A locked template and its new values. */
export interface TemplateChange {
  before: PinnedTemplate
  after: ProductTemplate
}

/** Gives templates new values, as new revisions. With `deferred`, their index entries are collected there. */
export async function changeTemplates(
  db: Db,
  changes: TemplateChange[],
  action: RevisionAction,
  author: Author,
  deferred?: DeferredEntries
): Promise<PinnedTemplate[]> {
  if (changes.length === 0) return []
  const numbered = changes.map(({ before, after }) => {
    const timeModified = timestampAfter(before.timeModified)
    return { before, after: { ...after, timeModified, revision: before.revision + 1 } }
  })
  await checkRights(author, numbered)
  await recordRevisions(db, numbered, action, author)
  await updateProductTemplates(db, numbered, deferred)
  return numbered.map(({ after }) => after)
}

/** Deletes locked templates. Their revisions stay. */
export async function removeTemplates(db: Db, locked: PinnedTemplate[], author: Author): Promise<void> {
  const deletions = locked.map(before => ({ before }))
  await checkRights(author, deletions)
  await recordRevisions(db, deletions, 'DELETE', author)
  await deleteProductTemplates(
    db,
    locked.map(({ id }) => id)
  )
}

/** Makes the result of a write that was refused because somebody else has changed the template. */
export function conflict(product: PinnedTemplate | null, currentRevision: number): Written {
  const message = `the template was changed: its revision is ${currentRevision}`
  const problem = { ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision }
  return { ...refuse(problem), product }
}
