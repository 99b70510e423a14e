/** Finds the stored templates that an import concerns, and decides what becomes of them. */
import type { ProductTemplate } from '../../../domain/columns.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import type { Db } from '../../schema.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { conflict, type Decision, decideReplacement, refuseForbidden } from '../writing/decisions.ts'
import { findStoredIds, findStoredTemplates } from '../writing/rights.ts'
import type { Incoming } from './batches.ts'
import type { ImportOptions, ImportReport, NewTemplate } from './report.ts'

/** Decides to create, replace or refuse each template of a batch, and counts it in the report. */
export async function decideBatch<Place>(
  db: Db,
  batch: Incoming<Place>[],
  report: ImportReport<Place>
): Promise<Decision[]> {
  if (batch.length === 0) return []
  const { existing, author } = report.options
  const created: Decision[] = []
  const changed: Decision[] = []
  const decide = existing === 'replace' ? decideReplacements : decideCreations
  const decided = await decide(db, batch, report.options)
  for (const [index, decision] of (await refuseForbidden(db, author, decided)).entries()) {
    if (report.stopped) return []
    const { before, after, problems } = decision
    if (problems) report.refuse(problems, batch[index] as Incoming<Place>)
    else if (before === after) report.result[existing === 'keep' ? 'kept' : 'unchanged']++
    else (before ? changed : created).push(decision)
  }
  report.result.inserted += created.length
  report.result.replaced += changed.length
  return [...created, ...changed]
}

/** Decides to create or replace the template of each record. Locks the stored ones, in the order of their ids. */
async function decideReplacements(
  db: Db,
  batch: Incoming<unknown>[],
  { dryRun = false, author }: ImportOptions<never>
): Promise<Decision[]> {
  const { templates, hidden } = await findStoredTemplates(db, idsOf(batch), author, { locks: !dryRun })
  return batch.map(({ template, expectedRevision }) => {
    const before = templates.get(template.id)
    if (hidden.has(template.id)) return refuseTaken(template.id)
    if ((expectedRevision ?? before?.revision) !== before?.revision) return conflict(before)
    return before ? decideReplacement(before, replace(before, template)) : { after: addTimes(template) }
  })
}

/**
 * Decides to create the template of each record, or to keep or refuse it if there is one. If the ids of the stored ones
 * are returned, locks these, in the order of their ids, so that no other writer deletes them meanwhile.
 */
async function decideCreations(
  db: Db,
  batch: Incoming<unknown>[],
  { existing, dryRun = false, withIds = false, author }: ImportOptions<never>
): Promise<Decision[]> {
  const { visible, hidden } = await findStoredIds(db, idsOf(batch), author, { locks: !dryRun && withIds })
  return batch.map(({ template }) => {
    if (visible.has(template.id) && existing === 'keep') return kept
    const isTaken = visible.has(template.id) || hidden.has(template.id)
    return isTaken ? refuseTaken(template.id) : { after: addTimes(template) }
  })
}

const idsOf = (batch: Incoming<unknown>[]): number[] => batch.map(({ template }) => template.id)

/** Does nothing. */
const kept: Decision = {}

const refuseTaken = (id: number): Decision => ({
  problems: [makeProblem('ID_TAKEN', `a template with id ${id} exists`, 'id')]
})

function addTimes(template: Incoming<unknown>['template']): ProductTemplate {
  const time = template.timeModified ?? template.timeCreated ?? timestamp()
  return { timeCreated: time, timeModified: time, ...template }
}

/** Returns the template that replaces a stored one. Its time of modification does not go back. */
function replace(before: TemplateWithRevision, given: NewTemplate): TemplateWithRevision {
  const after = { ...before, ...given }
  if (after.timeModified < before.timeModified) after.timeModified = before.timeModified
  return after
}
