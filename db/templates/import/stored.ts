/** Finds the stored templates that an import concerns, and decides what becomes of them. */
import { sql } from 'kysely'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import type { Db } from '../../schema.ts'
import { type TemplateWithRevision, wholeTemplate } from '../product-templates.ts'
import { conflict, type Decision, decideReplacement, refuseForbidden } from '../writing/decisions.ts'
import { findStoredTemplates, type StoredTemplates } from '../writing/rights.ts'
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
  const { templates, hidden } = await findStored(db, batch, report.options)
  const created: Decision[] = []
  const changed: Decision[] = []
  const decided = batch.map(incoming => {
    const { id } = incoming.template
    return hidden.has(id) ? refuseTaken(id) : decide(incoming, templates.get(id), report.options)
  })
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

/** Decides what becomes of a record. */
function decide(
  { template, expectedRevision }: Incoming<unknown>,
  before: TemplateWithRevision | undefined,
  { existing }: ImportOptions<never>
): Decision {
  const revision = before?.revision
  if (existing === 'replace' && (expectedRevision ?? revision) !== revision) return conflict(before)
  if (!before) return { after: addTimes(template) }
  if (existing !== 'keep' && existing !== 'replace') return refuseTaken(before.id)
  return decideReplacement(before, existing === 'keep' ? before : replace(before, template))
}

const refuseTaken = (id: number): Decision => ({
  problems: [makeProblem('ID_TAKEN', `a template with id ${id} exists`, 'id')]
})

/**
 * Finds the stored templates with the ids of a batch. They are complete if they may be replaced or the author has a
 * rule; otherwise they have only their ids, because documents may be long. Locks them, in the order of their ids, if
 * they may be replaced, or if their ids are returned, so that no other writer deletes them meanwhile.
 */
function findStored(
  db: Db,
  batch: Incoming<unknown>[],
  { existing, dryRun = false, withIds = false, author }: ImportOptions<never>
): Promise<StoredTemplates> {
  const replaces = existing === 'replace'
  const isCompared = replaces || author.rule !== undefined
  const ids = batch.map(({ template }) => template.id)
  return findStoredTemplates(db, ids, author, {
    columns: isCompared ? wholeTemplate : sql`id`,
    locks: !dryRun && (replaces || withIds)
  })
}

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
