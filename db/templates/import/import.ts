import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { isRetryable } from '../../dialects/faults.ts'
import type { Db, Transaction } from '../../schema.ts'
import { timestamp } from '../../timestamp.ts'
import { transactOrUndo } from '../../transaction.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { type PinnedTemplate, wholeTemplate } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import {
  conflict,
  type Decision,
  decideCreation,
  decideReplacement,
  refuse,
  writeDecisions
} from '../writing/decisions.ts'
import { type Existing, findExisting, nobody } from '../writing/rights.ts'
import { type Incoming, readBatches } from './batches.ts'
import type { NewTemplate } from './record.ts'
import { type ImportOptions, type ImportRecords, ImportReport, type ImportResult } from './report.ts'

export type { NewTemplate, Problem } from './record.ts'
export type { ImportOptions, ImportProblem, ImportRecord, ImportResult } from './report.ts'

/** Nothing was imported, because another writer wrote the same templates at the same time. */
export class ImportConflict extends Error {}

/** The number of imported templates from which the statistics of the planner are updated at once. */
const manyTemplates = 1000

/**
 * Imports templates in one transaction: all or, if there are problems, none; with `onProblem: 'skip'`, those without
 * problems. If `db` is a transaction, it is that one. Reads the records once, in bounded memory, within the transaction.
 * Rejects with {@link ImportConflict}.
 */
export async function importTemplates<Place>(
  db: Db,
  given: ImportRecords<Place> | ((db: Db) => ImportRecords<Place>),
  options: ImportOptions<Place> = {}
): Promise<ImportResult<Place>> {
  const open = typeof given === 'function' ? given : () => given
  try {
    if (options.dryRun) return await checkImport(db, open(db), options)
    const job = (transaction: Transaction) => importInto(transaction, open(transaction), options)
    const result = await transactOrUndo(db, job, ({ written }) => !written, { retries: false })
    const isLarge = result.written && result.inserted + result.replaced >= manyTemplates
    if (isLarge && !db.isTransaction) await engineOf(db).analyze(db)
    return result
  } catch (error) {
    if (isRetryable(error))
      throw new ImportConflict('another writer wrote the same templates at the same time', { cause: error })
    throw error
  }
}

/** Like {@link importTemplates}, in the transaction of the caller, who must undo an import that is not `written`. */
export async function importInto<Place>(
  transaction: Transaction,
  records: ImportRecords<Place>,
  options: ImportOptions<Place>
): Promise<ImportResult<Place>> {
  const report = new ImportReport<Place>(options)
  for await (const batch of readBatches(transaction, records, report)) {
    const decisions = await decideBatch(transaction, batch, report)
    if (!report.refused) await writeDecisions(transaction, decisions, 'IMPORT', options.author ?? nobody)
  }
  return { ...report.result, written: !report.refused }
}

/** Finds all problems of an import, and writes nothing. */
async function checkImport<Place>(
  db: Db,
  records: ImportRecords<Place>,
  options: ImportOptions<Place>
): Promise<ImportResult<Place>> {
  const report = new ImportReport<Place>({ ...options, onProblem: 'report' })
  for await (const batch of readBatches(db, records, report)) await decideBatch(db, batch, report)
  return { ...report.result, written: false }
}

/** Decides to create, replace or refuse each template of a batch, and counts it in the report. */
async function decideBatch<Place>(
  db: Db,
  batch: Incoming<Place>[],
  report: ImportReport<Place>
): Promise<Decision[]> {
  if (batch.length === 0) return []
  const { existing } = report.options
  const { templates, hidden } = await findStored(db, batch, report.options)
  const stored = new Map(templates.map(template => [template.id, template]))
  const created: Decision[] = []
  const changed: Decision[] = []
  for (const incoming of batch) {
    if (report.stopped) return []
    const { id } = incoming.template
    const decision = hidden.has(id) ? refuseTaken(id) : decide(incoming, stored.get(id), report.options)
    const { problems } = decision.result
    if (problems.length > 0) report.refuse(problems, incoming)
    else if (decision.after) (decision.before ? changed : created).push(decision)
    else report.result[existing === 'keep' ? 'kept' : 'unchanged']++
  }
  report.result.inserted += created.length
  report.result.replaced += changed.length
  return [...created, ...changed]
}

/** Decides what becomes of a record. */
function decide(
  { template, expectedRevision }: Incoming<unknown>,
  before: PinnedTemplate | undefined,
  { existing }: ImportOptions<never>
): Decision {
  const revision = before?.revision
  if (existing === 'replace' && (expectedRevision ?? revision) !== revision)
    return { result: conflict(before) }
  if (!before) return decideCreation(addTimes(template))
  if (existing !== 'keep' && existing !== 'replace') return refuseTaken(before.id)
  return decideReplacement(before, existing === 'keep' ? before : replace(before, template))
}

const refuseTaken = (id: number): Decision => ({
  result: refuse(makeProblem('ID_TAKEN', `a template with id ${id} exists`, 'id'))
})

/**
 * Finds the stored templates with the ids of a batch. They are complete if they may be replaced or the author has a rule;
 * otherwise they have only their ids, because documents may be long. Locks them, in the order of their ids, if they may be
 * replaced, or if their ids are returned, so that nobody deletes them meanwhile.
 */
function findStored(
  db: Db,
  batch: Incoming<unknown>[],
  { existing, dryRun = false, withIds = false, author = nobody }: ImportOptions<never>
): Promise<Existing> {
  const replaces = existing === 'replace'
  const isCompared = replaces || author.rule !== undefined
  const ids = batch.map(({ template }) => template.id)
  return findExisting(db, ids, author, {
    columns: isCompared ? wholeTemplate : sql`id`,
    locks: !dryRun && (replaces || withIds)
  })
}

function addTimes(template: Incoming<unknown>['template']): ProductTemplate {
  const time = template.timeModified ?? template.timeCreated ?? timestamp()
  return { timeCreated: time, timeModified: time, ...template }
}

/** Returns the template that replaces a stored one. Its time of modification does not go back. */
function replace(before: PinnedTemplate, given: NewTemplate): PinnedTemplate {
  const after = { ...before, ...given }
  if (after.timeModified < before.timeModified) after.timeModified = before.timeModified
  return after
}
