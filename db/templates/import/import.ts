import { type ValidationOptions, validateTemplate } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { engineOf } from '../../dialects/engine.ts'
import { isConflict } from '../../dialects/faults.ts'
import type { Db, Transaction } from '../../schema.ts'
import { transact } from '../../transaction.ts'
import { withBulkChange } from '../bulk-changes.ts'
import { findWholeTemplate, type TemplateWithRevision } from '../product-templates.ts'
import { writeDecisions } from '../writing/apply.ts'
import type { BulkWriteOptions } from '../writing/bulk-write.ts'
import { type IdempotentRequest, keyReused, runIdempotently } from '../writing/idempotency.ts'
import { readBatches } from './batches.ts'
import { decideBatch } from './decide-batch.ts'
import {
  type ImportOptions,
  type ImportRecord,
  type ImportRecords,
  ImportReport,
  type ImportResult,
  type Problem
} from './report.ts'

/** Nothing was imported, because another writer wrote the same templates at the same time. */
export class ImportConflict extends Error {
  override readonly name = 'ImportConflict'
  readonly code = 'PTS_IMPORT_CONFLICT'
}

/** The number of imported templates from which the statistics of the planner are updated at once. */
const manyTemplates = 1000

/**
 * Imports templates in one transaction: all or, if there are problems, none; with `onProblem: 'skip'`, all templates
 * without problems. If `db` is a transaction, the import runs in it. Reads the records once, in bounded memory, within
 * the transaction. Rejects with {@link ImportConflict}.
 */
export async function importTemplates<Place>(
  db: Db,
  records: ImportRecords<Place> | ((db: Db) => ImportRecords<Place>),
  options: ImportOptions<Place>
): Promise<ImportResult<Place>> {
  const open = typeof records === 'function' ? records : () => records
  try {
    if (options.dryRun) return await importInto(db, open(db), options)
    const job = (transaction: Transaction) => importInto(transaction, open(transaction), options)
    // The records are read only once, so the job cannot run again.
    const result = await transact(db, job, {
      isolation: 'read committed',
      rollBackIf: ({ written }) => !written,
      attempts: 1
    })
    const isLarge = result.written && result.inserted + result.replaced >= manyTemplates
    if (isLarge && !db.isTransaction) await engineOf(db).analyze(db)
    return result
  } catch (error) {
    if (isConflict(error))
      throw new ImportConflict('another writer wrote the same templates at the same time', { cause: error })
    throw error
  }
}

/**
 * Like {@link importTemplates}, in the transaction of the caller, who must undo an import that is not `written`. Only a
 * dry run needs no transaction.
 */
export async function importInto<Place>(
  db: Db,
  records: ImportRecords<Place>,
  options: ImportOptions<Place>
): Promise<ImportResult<Place>> {
  const report = new ImportReport<Place>(options)
  const author = withBulkChange(options.author)
  for await (const batch of readBatches(db, records, report)) {
    const decisions = await decideBatch(db, batch, report)
    if (report.isWriting) await writeDecisions(db as Transaction, decisions, 'IMPORT', author)
  }
  return { ...report.result, written: report.isWriting }
}

/** The result of an import of a list. If there are problems, nothing was imported. */
interface ImportedList {
  /** The templates in the order of the list. */
  products: TemplateWithRevision[]
  counts: { created: number } & Pick<ImportResult, 'replaced' | 'unchanged' | 'kept'>
  problems: Problem[]
  warnings: Problem[]
}

interface ListOptions extends Pick<BulkWriteOptions, 'author' | 'signal' | 'onReady'> {
  /** Find all problems, but write nothing. */
  dryRun: boolean
  existing: NonNullable<ImportOptions['existing']>
  validation: ValidationOptions
  once?: IdempotentRequest | undefined
}

/** Imports a list of records: all or none. What the author has no right to is a problem of its record. */
export async function importList(
  db: Db,
  records: Omit<ImportRecord, 'place'>[],
  { existing, author, validation, dryRun, once, signal, onReady }: ListOptions
): Promise<ImportedList> {
  const validate = (template: object) => validateTemplate(template, validation)
  const options = { existing, author, validate, dryRun, onProblem: 'report', withIds: true } as const
  const readRecords = function* () {
    for (const record of records) {
      signal?.throwIfAborted()
      yield { ...record, place: undefined }
    }
  }
  if (dryRun) return toList(await importInto(db, readRecords(), options), [])
  const run = async (transaction: Transaction) => {
    const result = await importInto(transaction, readRecords(), options)
    if (!result.written) return toList(result, [])
    const products = await readImported(transaction, result)
    signal?.throwIfAborted()
    onReady?.()
    return toList(result, products)
  }
  const rollBackIf = ({ problems }: ImportedList) => problems.length > 0
  // The writes of a refused import are undone before `runIdempotently` looks for the same request, sent meanwhile.
  const job = (transaction: Transaction) =>
    runIdempotently(transaction, once, refuseList([keyReused]), () =>
      transact(transaction, run, { rollBackIf })
    )
  return transact(db, job, { isolation: 'read committed' })
}

/** Reads the templates, which are locked. */
async function readImported(transaction: Transaction, result: ImportResult): Promise<TemplateWithRevision[]> {
  const products: TemplateWithRevision[] = []
  for (const id of result.ids) {
    products.push((await findWholeTemplate(transaction, id)) as TemplateWithRevision)
    await yieldToEventLoop()
  }
  return products
}

function toList(result: ImportResult, products: TemplateWithRevision[]): ImportedList {
  const problems = toProblems(result, false)
  if (problems.length > 0) return refuseList(problems)
  const { inserted: created, replaced, unchanged, kept } = result
  const counts = { created, replaced, unchanged, kept }
  return { products, counts, problems: [], warnings: toProblems(result, true) }
}

const refuseList = (problems: Problem[]): ImportedList => ({
  products: [],
  counts: { created: 0, replaced: 0, unchanged: 0, kept: 0 },
  problems,
  warnings: []
})

/** Lists the problems, or the warnings. The path of each begins with the position of its record. */
const toProblems = ({ problems }: ImportResult, warnings: boolean): Problem[] =>
  problems
    .filter(({ warning }) => warning === warnings)
    .map(problem => ({ ...problem, path: [String(problem.index), ...problem.path] }))
