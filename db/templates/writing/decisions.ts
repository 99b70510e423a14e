/** What a creation, change, restoration or import does to each template. Nothing is written if one of them has a problem. */
import { isDeepStrictEqual } from 'node:util'
import type { RevisionAction, Transaction } from '../../schema.ts'
import { chosenFields, type ProductTemplate, type TemplateValues } from '../table/columns.ts'
import type { PinnedTemplate } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import { type Problem, type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import { changeTemplates, insertTemplates, removeTemplates } from './apply.ts'
import { type Author, checkRights } from './rights.ts'

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
  currentRevision?: number | undefined
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

export const done = (product: PinnedTemplate): Written => ({
  product,
  revision: product.revision,
  problems: [],
  warnings: []
})

/** Makes the result of a write that was refused. */
export const refuse = (...problems: WriteProblem[]): Written => ({
  product: null,
  revision: null,
  problems,
  warnings: []
})

export const notFound = (): Written => refuse(makeProblem('NOT_FOUND', 'no template has this id', 'id'))

/**
 * Makes the result of a write that was refused because somebody else has changed or deleted the template. A restoration knows
 * the revision of a deleted one.
 */
export function conflict(product: PinnedTemplate | undefined, currentRevision = product?.revision): Written {
  const message = currentRevision
    ? `the template was changed: its revision is ${currentRevision}`
    : 'the template does not exist'
  const problem = { ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision }
  return { ...refuse(problem), product: product ?? null }
}

/** What a write does to a template: without `before` it creates, without `after` it deletes, without both it does nothing. */
export interface Decision {
  /** The result. The write completes it. */
  result: Written
  before?: PinnedTemplate
  after?: ProductTemplate
}

/** Decides how to give a locked template new values. */
export function decideChange(
  before: PinnedTemplate,
  values: Partial<TemplateValues>,
  rules: ValidationOptions
): Decision {
  const decision = decideValues(before, values)
  if (!decision.after) return decision
  const { problems, warnings } = validateChange(decision.after, values, rules)
  if (problems.length > 0) return { result: refuse(...problems) }
  return { ...decision, result: { ...decision.result, warnings } }
}

/** Like {@link decideChange}, for values that need no check. */
export function decideValues(before: PinnedTemplate, values: Partial<TemplateValues>): Decision {
  const given = chosenFields.filter(field => values[field] !== undefined)
  const changes = Object.fromEntries(given.map(field => [field, values[field]]))
  return decideReplacement(before, { ...before, ...changes })
}

/** Decides how to replace a locked template as a whole. */
export function decideReplacement(before: PinnedTemplate, after: ProductTemplate): Decision {
  if (isDeepStrictEqual(after, before)) return { result: { ...done(before), revision: null } }
  return { result: { ...done(before), before }, before, after }
}

/** Decides to create a template whose id is free. */
export const decideCreation = (after: ProductTemplate, warnings: Problem[] = []): Decision => ({
  result: { product: null, revision: null, problems: [], warnings },
  after
})

/** Decides to delete a locked template. Its revisions stay. */
export const decideDeletion = (before: PinnedTemplate): Decision => ({
  result: { ...done(before), revision: before.revision + 1 },
  before
})

/** Validates a changed template and keeps the problems of changed fields. A new componentName may make `data` invalid. */
function validateChange(
  changed: ProductTemplate,
  changes: Partial<TemplateValues>,
  rules: ValidationOptions
) {
  const fields = Object.keys(changes)
  if ('componentName' in changes) fields.push('data')
  // The problem "there are more problems" has no path. Only a document can have that many problems.
  const concerns = ({ path: [field = 'data'] }: Problem) => fields.includes(field)
  const { problems, warnings } = validateTemplate(
    changed,
    fields.includes('data') ? rules : { ...rules, validation: 'off' }
  )
  return { problems: problems.filter(concerns), warnings: warnings.filter(concerns) }
}

/**
 * Does what was decided, unless a decision has a problem. Returns the results in the order of the decisions. Rejects with
 * NotAllowed if the author lacks a right.
 */
export async function writeDecisions(
  transaction: Transaction,
  decisions: Decision[],
  action: RevisionAction,
  author: Author
): Promise<Written[]> {
  const results = decisions.map(({ result }) => result)
  if (results.some(({ problems }) => problems.length > 0)) return results
  await checkRights(
    author,
    decisions.filter(({ before, after }) => before ?? after)
  )
  const creations = decisions.flatMap(({ before, after }) => (after && !before ? after : []))
  const changes = decisions.flatMap(({ before, after }) => (after && before ? { before, after } : []))
  const deletions = decisions.flatMap(({ before, after }) => (before && !after ? before : []))
  const inserted = await insertTemplates(transaction, creations, action, author)
  const changed = await changeTemplates(transaction, changes, action, author)
  await removeTemplates(transaction, deletions, author)
  const written = new Map([...inserted, ...changed].map(template => [template.id, template]))
  return decisions.map(({ result, after }) => {
    const product = after && written.get(after.id)
    return product ? { ...result, product, revision: product.revision } : result
  })
}
