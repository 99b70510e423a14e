/**
 * What a write does to templates, in the transaction of the caller, who has locked them. Plain SQL has revisions, too: with
 * every change of `product_template`, triggers copy the former values to `product_template_past`, and insert a row without
 * an author into `product_revision`. A change here inserts that row first, with its author. A creation adds the author to
 * the row of the trigger.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import type { LateEntries } from '../index/late-entries.ts'
import { insertProductTemplates, updateProductTemplates } from '../index/write.ts'
import { takeTurn } from '../meter.ts'
import { permits } from '../rules/rule.ts'
import { chosenFields, type ProductTemplate, type TemplateValues } from '../table/columns.ts'
import { makeProblem } from '../validation/problem.ts'
import { type Problem, type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import { recordRevisions, setAuthor } from './author.ts'
import type { Author, PinnedTemplate } from './revisions.ts'

/** Why nothing was written. */
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

/** What a write has done: nothing if there are problems. */
export interface Written {
  /** The template after the write; before it if it was deleted; as it is now if there is a conflict. */
  product: PinnedTemplate | null
  /** The template before a write that has changed it; absent if it is new. */
  before?: PinnedTemplate
  /** Number of the revision that was written; null if nothing has changed. */
  revision: number | null
  problems: WriteProblem[]
  /** It was a dry run. */
  isUndone?: boolean
  /** Problems of the document that the rules accept. */
  warnings: Problem[]
}

export const done = (product: PinnedTemplate, warnings: Problem[] = []): Written => ({
  product,
  revision: product.revision,
  problems: [],
  warnings
})

export const unchanged = (product: PinnedTemplate): Written => ({ ...done(product), revision: null })

/** Writes nothing. */
export const refuse = (...problems: WriteProblem[]): Written => ({
  product: null,
  revision: null,
  problems,
  warnings: []
})

export const notFound = (): Written => refuse(makeProblem('NOT_FOUND', 'no template has this id', 'id'))

/** The author may not do this with a template. Nothing is written. */
export class NotAllowed extends Error {}

/** Rejects with NotAllowed if the author may not do what is about to happen to one of the templates. */
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

/** Inserts a template whose id is free. */
export async function applyCreation(
  db: Db,
  values: TemplateValues & { id: number },
  author: Author
): Promise<PinnedTemplate> {
  const time = timestamp()
  const template = { ...values, timeCreated: time, timeModified: time }
  await checkRights(author, [{ after: template }])
  await insertProductTemplates(db, [template])
  return setAuthor(db, template, 'CREATE', author)
}

/** Checks new values of a template. `changed` is the new template; undefined if there are problems, or nothing changes. */
export function checkChange(
  current: PinnedTemplate,
  changes: Partial<TemplateValues>,
  rules: ValidationOptions
): { changed?: PinnedTemplate; problems: Problem[]; warnings: Problem[] } {
  const changed = { ...current, ...pickValues(changes) }
  if (isDeepStrictEqual(changed, current)) return { problems: [], warnings: [] }
  const { problems, warnings } = validateChange(changed, changes, rules)
  return problems.length > 0 ? { problems, warnings } : { changed, problems, warnings }
}

/** A template, which is locked, and its new values. */
export interface TemplateChange {
  current: PinnedTemplate
  changed: ProductTemplate
}

/** Gives templates other values, as new revisions. With `late`, their index entries are added there. */
export async function changeTemplates(
  db: Db,
  changes: TemplateChange[],
  action: RevisionAction,
  author: Author,
  late?: LateEntries
): Promise<PinnedTemplate[]> {
  const former = changes.map(({ current }) => current)
  const templates = changes.map(({ current, changed }) => ({
    ...changed,
    timeModified: timestampAfter(current.timeModified),
    revision: current.revision + 1
  }))
  await checkRights(
    author,
    templates.map((after, index) => ({ before: former[index], after }))
  )
  const records = changes.map(({ current, changed: { data } }) => ({ current, data }))
  await recordRevisions(db, records, action, author)
  await updateProductTemplates(db, templates, former, late)
  return templates
}

/** Deletes templates, which are locked; their revisions stay. */
export async function removeTemplates(db: Db, locked: PinnedTemplate[], author: Author): Promise<void> {
  const { index, syntax } = engineOf(db)
  await checkRights(
    author,
    locked.map(before => ({ before }))
  )
  const ids = locked.map(({ id }) => id)
  const records = locked.map(current => ({ current, data: null }))
  await recordRevisions(db, records, 'DELETE', author)
  await index.write(db, ids, async () => {
    await db
      .deleteFrom('product_template')
      .where(syntax.isOneOf(sql.ref('product_template.id'), ids))
      .execute()
    await index.removeDeleted(db, ids)
  })
}

/** Refuses to write what somebody else has changed. */
export function conflict(product: PinnedTemplate | null, currentRevision: number): Written {
  const message = `the template was changed: its revision is ${currentRevision}`
  const problem = { ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision }
  return { ...refuse(problem), product }
}

/** Validates changed fields only. A new componentName revalidates `data`. */
function validateChange(changed: PinnedTemplate, changes: Partial<TemplateValues>, rules: ValidationOptions) {
  const fields = Object.keys(changes)
  if ('componentName' in changes) fields.push('data')
  // Only a document has more problems than are reported: that has no path.
  const concerns = ({ path: [field = 'data'] }: Problem) => fields.includes(field)
  const { problems, warnings } = validateTemplate(changed, rules)
  return { problems: problems.filter(concerns), warnings: warnings.filter(concerns) }
}

/** Copies the fields that a writer chooses and that are given. */
export const pickValues = (given: Partial<TemplateValues>): Partial<TemplateValues> =>
  Object.fromEntries(
    chosenFields.filter(field => given[field] !== undefined).map(field => [field, given[field]])
  )
