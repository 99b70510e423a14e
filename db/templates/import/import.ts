import { engineOf } from '../../dialects/engine.ts'
import { isRetryable } from '../../dialects/faults.ts'
import type { Db } from '../../schema.ts'
import { transactOnce } from '../../transaction.ts'
import { loadProductTemplates } from '../index/load.ts'
import { readBatches } from './batches.ts'
import { type ImportOptions, type ImportRecords, ImportReport, type ImportResult } from './report.ts'
import { writeBatch } from './write.ts'

export type { NewTemplate, Problem } from './record.ts'
export type { ImportOptions, ImportProblem, ImportRecord, ImportResult } from './report.ts'

/** Another writer wrote the same templates during the import, so nothing was imported. */
export class ImportConflict extends Error {}

/** There were problems; nothing may be imported. */
export class ImportRefused<Place> extends Error {
  readonly result: ImportResult<Place>
  constructor(result: ImportResult<Place>) {
    super('the import was refused')
    this.result = result
  }
}

/** Imported templates from which on statistics are updated at once. */
const manyTemplates = 1000

/**
 * Imports templates in one transaction: all or, if there are problems, none; with `onProblem: 'skip'`, those without
 * problems. Reads the records once, in bounded memory. Rejects with ImportConflict if another writer interfered.
 */
export async function importTemplates<Place>(
  db: Db,
  records: ImportRecords<Place>,
  options: ImportOptions<Place> = {}
): Promise<ImportResult<Place>> {
  try {
    if (options.dryRun) return await checkImport(db, records, options)
    const result = await transactOnce(db, transaction => importInto(transaction, records, options))
    if (result.inserted + result.replaced >= manyTemplates) await engineOf(db).analyze(db)
    return result
  } catch (error) {
    if (error instanceof ImportRefused) return error.result
    if (isRetryable(error))
      throw new ImportConflict('another writer wrote the same templates at the same time', { cause: error })
    throw error
  }
}

/** Like {@link importTemplates}, in the caller's transaction. Rejects with {@link ImportRefused} if there are problems. */
export async function importInto<Place>(
  db: Db,
  records: ImportRecords<Place>,
  options: ImportOptions<Place>
): Promise<ImportResult<Place>> {
  const report = new ImportReport<Place>(options)
  await loadProductTemplates(db, async insert => {
    for await (const batch of readBatches(db, records, report)) await writeBatch(db, batch, report, insert)
    if (report.refused) throw new ImportRefused(report.result)
  })
  return { ...report.result, written: true }
}

/** Finds the problems of an import and writes nothing. */
async function checkImport<Place>(
  db: Db,
  records: ImportRecords<Place>,
  options: ImportOptions<Place>
): Promise<ImportResult<Place>> {
  const report = new ImportReport<Place>({ ...options, onProblem: 'report' })
  for await (const batch of readBatches(db, records, report)) await writeBatch(db, batch, report)
  return report.result
}
