/** Decides the effect of a creation, change, deletion, restoration or import on each template. */
import { isDeepStrictEqual } from 'node:util'
import { editableFields, type ProductTemplate, type TemplateValues } from '../../../domain/columns.ts'
import { timestampAfter } from '../../../domain/timestamp.ts'
import { makeProblem, type Problem, type ProblemCode } from '../../../domain/validation/problem.ts'
import { type ValidationOptions, validateTemplate } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { Db, RevisionAction, Transaction } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { type Author, findMissingRights, type NotAllowed, type StoredTemplates } from './rights.ts'

type WriteProblemCode =
  | ProblemCode
  | NotAllowed['reason']
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'UNEXPECTED_COUNT'
  | 'ID_TAKEN'
  | 'NO_FREE_ID'
  | 'AMBIGUOUS'
  | 'IDEMPOTENCY_KEY_REUSED'

/** A reason why nothing was written. */
export interface WriteProblem extends Problem<WriteProblemCode> {
  /** For a conflict, the number of the current revision. */
  currentRevision?: number | undefined
}

/** The result of a write. If there are problems, nothing was written. */
export interface WriteResult {
  /** The new template, the deleted one, or the current one if nothing has changed or after a conflict. */
  product: TemplateWithRevision | null
  /** The template before a change; absent if it is new. */
  before?: TemplateWithRevision
  /** Number of the new revision; null if nothing has changed. */
  revision: number | null
  problems: WriteProblem[]
  /** Whether this was a dry run. */
  isDryRun?: boolean
  /** Problems of the document that do not prevent the write. */
  warnings: Problem[]
}

/**
 * The effect of a write on a template. Without `before`, it creates; without `after`, it deletes; if both are the same,
 * it does nothing. If one decision of a write has problems, nothing is written.
 */
export interface Decision {
  /** The locked template. */
  before?: TemplateWithRevision | undefined
  /** Its new values. */
  after?: ProductTemplate
  /** The number of the revision that a restoration brings back. */
  restored?: number
  /** Why nothing is written; absent if there is no reason. */
  problems?: WriteProblem[]
  /** Problems of the document that do not prevent the write. */
  warnings?: Problem[]
}

/** Makes the result of a decision. `revision` is the new one; without it, nothing was written. */
export function toWriteResult(
  { before, after, problems = [], warnings = [] }: Decision,
  revision: number | null = null
): WriteResult {
  const isWritten = revision !== null
  const product = after && isWritten ? { ...after, revision } : (before ?? null)
  return { product, ...(before && after && isWritten && { before }), revision, problems, warnings }
}

/** Refuses a write: another writer has changed or deleted the template. A restoration gives the last revision. */
export function conflict(
  before: TemplateWithRevision | undefined,
  currentRevision = before?.revision
): Decision {
  const message = currentRevision
    ? `the template was changed: its revision is ${currentRevision}`
    : 'the template does not exist'
  return { before, problems: [{ ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision }] }
}

/** Refuses the decisions for which the author lacks a right. Each gets a problem, so that the others can be written. */
export async function refuseForbidden(db: Db, author: Author, decisions: Decision[]): Promise<Decision[]> {
  const missing = await findMissingRights(db, author, decisions)
  return decisions.map((decision, index) => {
    const right = missing[index]
    return right ? { problems: [makeProblem(right.reason, right.message)] } : decision
  })
}

/** A template to write. */
export interface WriteTarget {
  id: number
  /** Write only if this is the number of its current revision. null counts as absent, as in GraphQL. */
  expectedRevision?: number | null | undefined
}

/** A kind of write, single or bulk. */
export interface Write<Each extends WriteTarget> {
  action: RevisionAction
  /** Decides the effect on each target, in their order. `stored` has the current templates, which are locked. */
  decide(
    targets: Each[],
    stored: StoredTemplates,
    context: { transaction: Transaction; author: Author }
  ): Promise<Decision[]>
}

/** Makes the function that decides about templates that must be stored and have the expected revision. */
export const decideStored =
  (decide: (before: TemplateWithRevision) => Decision): Write<WriteTarget>['decide'] =>
  async (targets, { templates }) => {
    const decisions: Decision[] = []
    for (const { id, expectedRevision } of targets) {
      const before = templates.get(id)
      if (!before) decisions.push({ problems: [makeProblem('NOT_FOUND', 'no template has this id', 'id')] })
      else if ((expectedRevision ?? before.revision) !== before.revision) decisions.push(conflict(before))
      else decisions.push(decide(before))
      await yieldToEventLoop()
    }
    return decisions
  }

/** Deletes templates. Their revisions stay. */
export const deletion: Write<WriteTarget> = { action: 'DELETE', decide: decideStored(before => ({ before })) }

/** Decides how to give a locked template new values. */
export function decideChange(
  before: TemplateWithRevision,
  values: Partial<TemplateValues>,
  validation: ValidationOptions
): Decision {
  const { after = before } = decideValues(before, values)
  if (after === before) return { before, after }
  const fields = editableFields.filter(field => after[field] !== before[field])
  const { problems, warnings } = validateChange(after, fields, validation)
  return problems.length > 0 ? { problems } : { before, after, warnings }
}

/** Like {@link decideChange}, for values that need no check. */
export function decideValues(before: TemplateWithRevision, values: Partial<TemplateValues>): Decision {
  const chosen = editableFields.filter(field => values[field] !== undefined)
  const changes = Object.fromEntries(chosen.map(field => [field, values[field]]))
  return decideReplacement(before, { ...before, ...changes })
}

/**
 * Decides how to replace a locked template as a whole. A time of modification that is not later than the old one
 * becomes the current time, or the next after the old one.
 */
export function decideReplacement(before: TemplateWithRevision, after: ProductTemplate): Decision {
  if (isDeepStrictEqual(after, before)) return { before, after: before }
  if (after.timeModified > before.timeModified) return { before, after }
  return { before, after: { ...after, timeModified: timestampAfter(before.timeModified) } }
}

/**
 * Validates a changed template and keeps the problems of changed fields. A new componentName may make `data` invalid.
 */
function validateChange(changed: ProductTemplate, changedFields: string[], validation: ValidationOptions) {
  const fields = changedFields.includes('componentName') ? [...changedFields, 'data'] : changedFields
  // The problem "there are more problems" has no path. Only a document can have that many problems.
  const concerns = ({ path: [field = 'data'] }: Problem) => fields.includes(field)
  const { problems, warnings } = validateTemplate(
    changed,
    fields.includes('data') ? validation : { ...validation, validation: 'off' }
  )
  return { problems: problems.filter(concerns), warnings: warnings.filter(concerns) }
}
