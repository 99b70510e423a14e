/** Decides the effect of a creation, change, deletion, restoration or import on each template. */
import { isDeepStrictEqual } from 'node:util'
import { editableFields, type ProductTemplate, type TemplateValues } from '../../../domain/columns.ts'
import { timestampAfter } from '../../../domain/timestamp.ts'
import { makeProblem, type Problem, type ProblemCode } from '../../../domain/validation/problem.ts'
import { type ValidationOptions, validateTemplate } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { RevisionAction, Transaction } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import type { Author, NotAllowed, StoredTemplates } from './rights.ts'

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

interface Details {
  /** The number of the revision that a restoration brings back. */
  restored?: number
  /** Problems of the document that do not prevent the write. */
  warnings?: Problem[]
}

/** What a decision writes. Stored templates are locked. */
export type Effect = Details &
  (
    | { kind: 'create'; after: ProductTemplate }
    | { kind: 'change'; before: TemplateWithRevision; after: ProductTemplate }
    | { kind: 'delete'; before: TemplateWithRevision }
  )

interface Keeping extends Details {
  kind: 'keep'
  before: TemplateWithRevision
}

interface Refusal extends Details {
  kind: 'refuse'
  before?: TemplateWithRevision | undefined
  problems: WriteProblem[]
}

/** What a write does with a template. If it refuses one, nothing is written. */
export type Decision = Effect | Keeping | Refusal

/** Returns the id of the template that a decision keeps or writes. */
export const idOf = (decision: Effect | Keeping): number =>
  ('after' in decision ? decision.after : decision.before).id

/** Makes the result of a decision. `revision` is the new one; without it, nothing was written. */
export function toWriteResult(decision: Decision, revision: number | null = null): WriteResult {
  const before = 'before' in decision ? decision.before : undefined
  const problems = decision.kind === 'refuse' ? decision.problems : []
  const shared = { revision, problems, warnings: decision.warnings ?? [] }
  if (revision === null || !('after' in decision)) return { product: before ?? null, ...shared }
  return { product: { ...decision.after, revision }, ...(before && { before }), ...shared }
}

/** Refuses a write. */
export const refuse = (...problems: WriteProblem[]): Decision => ({ kind: 'refuse', problems })

/** Refuses a write: another writer has changed or deleted the template. A restoration gives the last revision. */
export function conflict(
  before: TemplateWithRevision | undefined,
  currentRevision = before?.revision
): Decision {
  const message = currentRevision
    ? `the template was changed: its revision is ${currentRevision}`
    : 'the template does not exist'
  const problem = { ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision }
  return { kind: 'refuse', before, problems: [problem] }
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
      if (!before) decisions.push(refuse(makeProblem('NOT_FOUND', 'no template has this id', 'id')))
      else if ((expectedRevision ?? before.revision) !== before.revision) decisions.push(conflict(before))
      else decisions.push(decide(before))
      await yieldToEventLoop()
    }
    return decisions
  }

/** Deletes templates. Their revisions stay. */
export const deletion: Write<WriteTarget> = {
  action: 'DELETE',
  decide: decideStored(before => ({ kind: 'delete', before }))
}

/** Decides how to give a locked template new values. */
export function decideChange(
  before: TemplateWithRevision,
  values: Partial<TemplateValues>,
  validation: ValidationOptions
): Decision {
  const decision = decideValues(before, values)
  if (decision.kind !== 'change') return decision
  const { after } = decision
  const fields = editableFields.filter(field => after[field] !== before[field])
  const { problems, warnings } = validateChange(after, fields, validation)
  return problems.length > 0 ? refuse(...problems) : { ...decision, warnings }
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
  if (isDeepStrictEqual(after, before)) return { kind: 'keep', before }
  if (after.timeModified > before.timeModified) return { kind: 'change', before, after }
  return { kind: 'change', before, after: { ...after, timeModified: timestampAfter(before.timeModified) } }
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
