/** Decides the effect of an import on the stored templates. */
import type { ProductTemplate } from '../../../domain/columns.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import type { NewTemplate } from '../../../domain/validation/record.ts'
import type { Db } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { conflict, type Decision, decideReplacement, refuse } from '../writing/decisions.ts'
import { refuseForbidden } from '../writing/missing-rights.ts'
import { findStoredTemplates } from '../writing/rights.ts'
import type { IncomingTemplate } from './batches.ts'
import type { ImportOptions, ImportReport } from './report.ts'

/**
 * Decides to create, replace, keep or refuse the template of each record, and counts it in the report. Locks the stored
 * ones that are replaced, or whose ids are returned, so that no other writer deletes them meanwhile.
 */
export async function decideBatch<Place>(
  db: Db,
  batch: IncomingTemplate<Place>[],
  report: ImportReport<Place>
): Promise<Decision[]> {
  if (batch.length === 0) return []
  const { existing, author, dryRun = false, withIds = false } = report.options
  const locks = !dryRun && (existing === 'replace' || withIds)
  const ids = batch.map(({ template }) => template.id)
  const { templates, hidden } = await findStoredTemplates(db, ids, author, {
    locks,
    idsOnly: existing !== 'replace'
  })
  const decided = batch.map(incoming => {
    const { id } = incoming.template
    return hidden.has(id) ? refuseTaken(id) : decide(incoming, templates.get(id), existing)
  })
  const created: Decision[] = []
  const changed: Decision[] = []
  for (const [index, decision] of (await refuseForbidden(db, author, decided)).entries()) {
    if (report.stopped) return []
    const { kind } = decision
    if (kind === 'refuse') report.refuse(decision.problems, batch[index] as IncomingTemplate<Place>)
    else if (kind === 'keep') report.result[existing === 'keep' ? 'kept' : 'unchanged']++
    else (kind === 'create' ? created : changed).push(decision)
  }
  report.result.inserted += created.length
  report.result.replaced += changed.length
  return [...created, ...changed]
}

function decide(
  { template, expectedRevision }: IncomingTemplate<unknown>,
  before: TemplateWithRevision | undefined,
  existing: ImportOptions['existing']
): Decision {
  if (existing === 'replace' && (expectedRevision ?? before?.revision) !== before?.revision)
    return conflict(before)
  if (!before) return { kind: 'create', after: addTimes(template) }
  if (existing === 'keep') return { kind: 'keep', before }
  return existing === 'replace'
    ? decideReplacement(before, replace(before, template))
    : refuseTaken(template.id)
}

const refuseTaken = (id: number): Decision =>
  refuse(makeProblem('ID_TAKEN', `a template with id ${id} exists`, 'id'))

function addTimes(template: IncomingTemplate<unknown>['template']): ProductTemplate {
  const time = template.timeModified ?? template.timeCreated ?? timestamp()
  return { timeCreated: time, timeModified: time, ...template }
}

/** Returns the template that replaces a stored one. Its time of modification does not go back. */
function replace(before: TemplateWithRevision, template: NewTemplate): TemplateWithRevision {
  const after = { ...before, ...template }
  if (after.timeModified < before.timeModified) after.timeModified = before.timeModified
  return after
}
